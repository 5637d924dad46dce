import { html, nothing, type TemplateResult } from 'lit-html'
import type { Operations } from '../api/partner-api.ts'
import type { OpenPage } from '../page.ts'
import { deliveryRow } from '../parts/delivery-row.ts'
import { textBox } from '../parts/json-text.ts'
import { createLoader } from '../parts/loader.ts'
import { moment } from '../parts/moment.ts'
import { webhookHref } from '../parts/webhook-words.ts'

/** One event, shown as it is delivered, and its deliveries. */
export const openEvent: OpenPage = (context, id) => {
  const reading = createLoader(context, 'the event', () => context.call('getEvent', { id }))
  const deliveries = createLoader(context, 'its deliveries', () => context.call('listEventDeliveries', { id }))
  return {
    title: 'Event',
    trail: [{ href: '/console/events', label: 'Events' }],
    load: async () => {
      await Promise.all([reading.load(), deliveries.load()])
    },
    view: () =>
      reading.view(
        (event) => html`<dl class="facts">
            <div>
              <dt>Type</dt>
              <dd><code>${event.type}</code></dd>
            </div>
            <div>
              <dt>Happened</dt>
              <dd>${moment(event.timestamp)}</dd>
            </div>
            <div>
              <dt>Id</dt>
              <dd><code>${event.id}</code> (the <code>webhook-id</code> of its deliveries)</dd>
            </div>
          </dl>
          <h2>Deliveries</h2>
          ${deliveries.view(({ data }) =>
            data.length === 0
              ? html`<p>No deliveries: no webhook was subscribed, the webhook was deleted, or the event is about to be dispatched.</p>`
              : html`<ul class="rows">${data.map(
                  (delivery) => html`<li>
                    ${deliveryRow(delivery)}
                    <p class="quiet">to <a href=${webhookHref(delivery.webhookId)}><code>${delivery.webhookId}</code></a></p>
                  </li>`,
                )}</ul>`,
          )}
          <h2>Payload</h2>
          ${textBox('Payload', JSON.stringify(event, null, 2))}
          ${allOfQuote(event)}`,
      ),
  }
}

/** A link to all events of this event's quote; nothing if the event is not about a quote. */
function allOfQuote({ data }: Operations['getEvent']['response']): TemplateResult | typeof nothing {
  if (!('quoteId' in data)) return nothing
  return html`<div class="buttons">
    <a href=${`/console/events?${new URLSearchParams({ quoteId: data.quoteId })}`}>View all events of this quote</a>
  </div>`
}
