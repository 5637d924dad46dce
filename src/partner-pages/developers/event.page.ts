import { html } from '../../pages/html.ts'
import { dataTable, descriptionList } from '../../pages/lists.ts'
import { getEventRoute } from '../../webhooks/event-log/list-events.route.ts'
import { listEventDeliveriesRoute } from '../../webhooks/history/read-deliveries.route.ts'
import { deliveryColumns } from './deliveries.page.ts'
import { type DeveloperPage, titled } from './developer-visit.ts'
import { type ListedDelivery, moment, textBox, webhookPath } from './in-words.ts'

const webhookColumn = {
  heading: 'Webhook',
  cell: ({ webhookId }: ListedDelivery) => html`<a href="${webhookPath(webhookId)}"><code>${webhookId}</code></a>`,
}

/** One event, as it is delivered, and its deliveries. */
export const eventPage: DeveloperPage = {
  name: 'event',
  path: 'events/:id',
  may: 'webhooks:manage',
  async show({ call, path, parameters: { id } }) {
    const event = await call(getEventRoute, { id })
    const { data } = await call(listEventDeliveriesRoute, { id })
    const empty =
      'No deliveries: no webhook was subscribed, the webhook was deleted, or the event is about to be dispatched.'
    const ofQuote = 'quoteId' in event.data && new URLSearchParams({ quoteId: event.data.quoteId }).toString()
    const body = html`<h1>Event</h1>${descriptionList([
      ['Type', html`<code>${event.type}</code>`],
      ['Happened', moment(event.timestamp)],
      ['Id', html`<code>${event.id}</code> (the <code>webhook-id</code> of its deliveries)`],
    ])}
<h2>Deliveries</h2>${dataTable({ caption: 'Deliveries of this event', columns: [...deliveryColumns.slice(0, 4), webhookColumn], empty }, data)}
<h2>Payload</h2>${textBox('Payload', JSON.stringify(event, null, 2))}
${ofQuote && html`<p><a href="${path('events')}?${ofQuote}">View all events of this quote</a></p>`}`
    return titled('Event', body, path('events'))
  },
}
