import { html, nothing, type TemplateResult } from 'lit-html'
import type { Operations } from '../api/partner-api.ts'
import type { OpenPage, Page } from '../page.ts'
import { createActionRunner } from '../parts/action.ts'
import { attemptList } from '../parts/attempt-list.ts'
import { formatJson, textBox } from '../parts/json-text.ts'
import { createLoader } from '../parts/loader.ts'
import { moment } from '../parts/moment.ts'
import { createPoller } from '../parts/poller.ts'
import { badge, deliveryBadge, eventHref, givenUpReasons, isTestDelivery, webhookHref } from '../parts/webhook-words.ts'

type Delivery = Operations['getDelivery']['response']

/** If the next attempt is due within this time, the page polls for its outcome. */
const soonMs = 10_000

/** One delivery: the message, every attempt, and a button to send it again. */
export const openDelivery: OpenPage = (context, id) => {
  const action = createActionRunner(context)
  const reading = createLoader(context, 'the delivery', () => context.call('getDelivery', { id }))
  // If a poll fails, the page does not show it. The next press of a button will show the failure.
  const watch = createPoller(context, async () => {
    const { data } = await context.call('getDelivery', { id })
    if (data === null || !context.isOpen()) return false
    reading.set(data)
    if (isUnderWay(data)) return true
    context.say({ text: data.status === 'delivered' ? 'The message was delivered.' : 'The attempt failed.' })
    return false
  })
  const load = async () => {
    await reading.load()
    const delivery = reading.data()
    if (delivery !== undefined && isUnderWay(delivery)) watch()
  }
  const redeliver = () =>
    void action.run(
      'Redeliver',
      () => context.call('redeliver', { id }),
      () => {
        context.say({ text: 'The message is being sent again, with the same webhook-id.' })
        void load()
        // Poll even if the message has already been delivered, so that the outcome is always announced.
        watch()
      },
    )
  const page: Page = {
    title: 'Delivery',
    trail: [{ href: '/console/webhooks', label: 'Webhooks' }],
    load,
    view: () =>
      reading.view(
        (delivery) => html`${action.problem()} ${facts(delivery)}
          <div class="buttons">
            ${action.button('Redeliver', redeliver, 'primary')}
            <button type="button" @click=${() => void load()}>Refresh</button>
            <a href=${webhookHref(delivery.webhookId)}>View the webhook</a>
            <a href=${webhookHref(delivery.webhookId, 'deliveries')}>View all its deliveries</a>
          </div>
          <section aria-labelledby="payload">
            <h2 id="payload">Payload</h2>
            ${textBox('Payload', formatJson(delivery.body))}
            <details>
              <summary>Exact bytes, as signed</summary>
              ${textBox('Payload as signed', delivery.body)}
            </details>
          </section>
          <section aria-labelledby="attempts">
            <h2 id="attempts">Attempts</h2>
            ${attemptList(delivery)}
          </section>`,
      ),
  }
  return page
}

/** Whether an attempt is in progress, or due soon enough to wait for. */
function isUnderWay({ status, nextAttemptAt }: Delivery): boolean {
  return status === 'pending' && (nextAttemptAt === null || Date.parse(nextAttemptAt) < Date.now() + soonMs)
}

const waitsInWords = {
  answer: 'In progress.',
  retry: 'Soon.',
  earlier_event: 'After the first attempt to deliver an earlier event of the same quote.',
  turn: 'As soon as there is capacity or, if the operator requires verification, once the webhook is verified.',
} as const

function facts(delivery: Delivery): TemplateResult {
  const { status, eventType, messageId, quoteId, createdAt, finishedAt, nextAttemptAt, waitingFor, givenUpBecause } =
    delivery
  const isEvent = eventType !== 'webhook.verification'
  return html`<dl class="facts">
    <div>
      <dt>Status</dt>
      <dd>${deliveryBadge(delivery)} ${isTestDelivery(delivery) ? badge('waiting', 'Test event') : nothing}</dd>
    </div>
    ${
      waitingFor === null
        ? nothing
        : html`<div>
            <dt>Next attempt</dt>
            <dd>${nextAttemptAt !== null && waitingFor === 'retry' ? moment(nextAttemptAt) : waitsInWords[waitingFor]}</dd>
          </div>`
    }
    <div>
      <dt>Event type</dt>
      <dd><code>${eventType}</code></dd>
    </div>
    <div>
      <dt>Message</dt>
      <dd>
        ${isEvent && !isTestDelivery(delivery) ? html`<a href=${eventHref(messageId)}><code>${messageId}</code></a>` : html`<code>${messageId}</code>`}
        (the <code>webhook-id</code>)
      </dd>
    </div>
    ${quoteId === null ? nothing : html`<div><dt>Quote</dt><dd><code>${quoteId}</code></dd></div>`}
    <div>
      <dt>Queued</dt>
      <dd>${moment(createdAt)}</dd>
    </div>
    ${
      finishedAt === null
        ? nothing
        : html`<div>
            <dt>${status === 'delivered' ? 'Delivered' : 'Failed'}</dt>
            <dd>${moment(finishedAt)}${givenUpBecause === null ? nothing : `: ${givenUpReasons[givenUpBecause]}.`}</dd>
          </div>`
    }
  </dl>`
}
