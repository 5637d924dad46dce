import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { eventTypes, noLabels } from '../../src/events/event.ts'
import { listEvents } from '../../src/webhooks/event-log/list-events.ts'
import { replayWebhook } from '../../src/webhooks/replay/replay-webhook.ts'
import { waitFor } from '../support/wait-for.ts'
import { dependenciesOf } from '../webhooks/life-cycle-fixture.ts'
import { receiverCertificate, receiverKey } from '../webhooks/receiver-fixture.ts'
import { type MarkedEvent, openLab, statusChanges, type WebhookLab } from '../webhooks/webhook-fixture.ts'

/**
 * An event that is not about a quote. There is no such event type yet, so this event has the name of an existing type.
 */
function aboutNoQuote(reference: string): MarkedEvent {
  const data = { ...noLabels, reference, previousStatus: null, status: 'draft' }
  return { type: 'quote.status.changed', data } as unknown as MarkedEvent
}

/**
 * A receiver that does not validate messages against the API document, because the document describes no event without
 * a quote.
 */
async function startPlainReceiver(t: TestContext) {
  const state = { status: 500, references: [] as string[] }
  const server = createServer({ cert: receiverCertificate, key: receiverKey }, async (request, response) => {
    const chunks = await request.toArray()
    const { type, data, ...message } = JSON.parse(Buffer.concat(chunks).toString())
    if (type === 'webhook.verification') return response.end(data.challenge ?? message.challenge)
    state.references.push(data.reference)
    return response.writeHead(state.status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { state, port: (server.address() as AddressInfo).port }
}

async function untilAll(lab: WebhookLab, status: string, count: number) {
  await waitFor(`${count} deliveries are ${status}`, async () => {
    const [row] = await lab.rows(
      `select count(*)::integer from deliveries where event_id is not null and status = $1`,
      [status],
    )
    return row?.count === count
  })
}

test('events that concern no quote are listed, delivered and replayed in the same way as events that concern one', async (t) => {
  const lab = await openLab(t)
  const { state, port } = await startPlainReceiver(t)
  const { webhookId } = await lab.register({ url: `https://receiver.test:${port}/` })
  lab.startWorker()
  await lab.happen([aboutNoQuote('first'), ...statusChanges(1), aboutNoQuote('second')])
  await untilAll(lab, 'failed', 3)

  const { events } = await listEvents(dependenciesOf(lab), lab.caller, {
    types: eventTypes,
    quoteId: undefined,
    createdAfter: undefined,
    createdBefore: undefined,
    order: 'oldest',
    cursor: undefined,
    limit: 10,
  })
  assert.deepEqual(
    events.map(({ quoteId, data }) => [quoteId === null, data.reference]),
    [
      [true, 'first'],
      [false, 'step 0'],
      [true, 'second'],
    ],
  )

  state.status = 204
  state.references = []
  await replayWebhook(dependenciesOf(lab), lab.caller, webhookId, {
    since: new Date(Date.now() - 3_600_000),
    until: undefined,
  })
  await untilAll(lab, 'delivered', 3)
  assert.deepEqual(state.references.toSorted(), ['first', 'second', 'step 0'])
})
