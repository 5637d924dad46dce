import type { Static } from 'typebox'
import { formOf, keyField } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { descriptionList, reloadLink, timeline } from '../../pages/lists.ts'
import { keptBodyBytes } from '../../webhooks/delivery/delivery.ts'
import { getDeliveryRoute } from '../../webhooks/history/read-deliveries.route.ts'
import { redeliverRoute } from '../../webhooks/replay/replay-webhook.route.ts'
import { type DeveloperPage, titled } from './developer-visit.ts'
import { deliveryPath, durationInWords, moment, statusOf, textBox, webhookPath } from './in-words.ts'

type Delivery = Static<(typeof getDeliveryRoute)['reply']>

/** One delivery: the message, every attempt, and a button to send it again. */
export const deliveryPage: DeveloperPage = {
  name: 'delivery',
  path: 'deliveries/:id',
  may: 'webhooks:manage',
  async show({ call, path, session, parameters: { id } }) {
    const delivery = await call(getDeliveryRoute, { id })
    const { webhookId, body: sent, attempts, attemptCount } = delivery
    const body = html`<h1>Delivery</h1>${facts(delivery, path)}${reloadLink()}
${formOf(session.formToken, html`${keyField()}`, 'Redeliver', { look: 'second' })}
<p><a href="${webhookPath(webhookId)}">View the webhook</a> · <a href="${webhookPath(webhookId)}/deliveries">View all its deliveries</a></p>
<h2>What happened</h2>${attempts.length < attemptCount && html`<p>The latest ${attempts.length} of ${attemptCount} attempts.</p>`}
${timeline([...outcome(delivery), ...attempts.toReversed().map(attemptEntry), { at: moment(delivery.createdAt), what: html`<p>Queued.</p>` }])}
<h2>Payload</h2>${textBox('Payload', JSON.stringify(JSON.parse(sent), null, 2))}
<details><summary>Exact bytes, as signed</summary>${textBox('Payload as signed', sent)}</details>`
    return titled('Delivery', body, `${webhookPath(webhookId)}/deliveries`)
  },
  async submit({ call, parameters: { id } }, form) {
    const { deliveryId } = await call(redeliverRoute, { id, key: form.text('key') })
    return { goTo: deliveryPath(deliveryId), notice: 'redelivered' }
  },
}

const waits = {
  answer: 'In progress.',
  retry: 'Soon.',
  earlier_event: 'After the first attempt to deliver an earlier event of the same quote.',
  turn: 'As soon as there is capacity or, if the operator requires verification, once the webhook is verified.',
} as const

function facts(delivery: Delivery, path: (page: string) => string): Html {
  const { eventType, messageId, quoteId, nextAttemptAt, waitingFor } = delivery
  const id = html`<code>${messageId}</code>`
  // A challenge or a test event is not in the list of events.
  const message = quoteId === null ? id : html`<a href="${path(`events/${messageId}`)}">${id}</a>`
  const next =
    nextAttemptAt !== null && waitingFor === 'retry' ? moment(nextAttemptAt) : waitingFor && waits[waitingFor]
  const rows = [
    ['Status', statusOf(delivery)],
    ['Next attempt', next],
    ['Event type', html`<code>${eventType}</code>`],
    ['Message', html`${message} (the <code>webhook-id</code>)`],
    ['Quote', quoteId && html`<code>${quoteId}</code>`],
  ] as const
  return descriptionList(rows.filter(([, value]) => value !== null))
}

/** How it ended, if it has. */
function outcome(delivery: Delivery) {
  const { finishedAt } = delivery
  return finishedAt === null ? [] : [{ at: moment(finishedAt), what: html`<p>${statusOf(delivery)}.</p>` }]
}

/** An attempt; the latest one is open. A receiver's response is shown as text. */
function attemptEntry(attempt: Delivery['attempts'][number], index: number) {
  const { attemptNumber, startedAt, durationMs, responseStatus, error, requestHeaders, responseBody } = attempt
  const response =
    responseBody === null
      ? html`<p>There was no response.</p>`
      : responseBody === ''
        ? html`<p>The body is empty.</p>`
        : html`${textBox(`Response to attempt ${attemptNumber}`, responseBody)}<p class="hint">Only the first ${keptBodyBytes / 1_024} KiB are kept.</p>`
  const what = html`<details${index === 0 && html` open`}><summary>Attempt ${attemptNumber}: ${responseStatus ?? 'no response'}, ${durationInWords(durationMs)}</summary>
${error && html`<p class="problem">${error}</p>`}<h3>Request headers</h3>${descriptionList(Object.entries(requestHeaders))}
<h3>Response from your receiver</h3>${response}</details>`
  return { at: moment(startedAt), what }
}
