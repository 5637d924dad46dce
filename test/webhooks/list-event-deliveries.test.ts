import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Partner } from '../support/client.ts'
import { eventsOf, waitForDeliveries } from '../support/deliveries.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '3600' })
after(() => service.stop())

const register = async (own: Partner, port: number, events = ['quote.status.changed']) =>
  succeeded(await own.post('/Webhooks', { url: `https://127.0.0.1:${port}/hook`, events })).webhookId

const deliveriesOfEvent = async (own: Partner, eventId: string) =>
  succeeded(await own.get(`/Events/${eventId}/deliveries` as const)).data

/** Creates a quote and returns the id of its event. */
async function newEvent(own: Partner): Promise<string> {
  await createQuote(own)
  return (await eventsOf(own))[0]?.id ?? ''
}

test("the deliveries of an event include every subscribed webhook, with the same fields as in each webhook's own list", async (t) => {
  const own = await connectNewPartner(service)
  const [well, failing] = [
    await startReceiver(t),
    await startReceiver(
      t,
      respondToEvents((_received, response) => response.writeHead(503).end()),
    ),
  ]
  const first = await register(own, well.port)
  await register(own, well.port, ['customer.status.changed'])
  const second = await register(own, failing.port)
  const eventId = await newEvent(own)
  const found = await waitFor(
    'both deliveries were attempted',
    () => deliveriesOfEvent(own, eventId),
    (deliveries) => deliveries.every(({ attemptCount }) => attemptCount === 1) && deliveries.length === 2,
  )
  assert.deepEqual(
    found.map(({ webhookId, messageId, status }) => [webhookId, messageId, status]),
    [
      [first, eventId, 'delivered'],
      [second, eventId, 'pending'],
    ],
  )
  for (const delivery of found) {
    const listed = await waitForDeliveries(own, delivery.webhookId, () => true)
    assert.deepEqual(
      listed.find(({ deliveryId }) => deliveryId === delivery.deliveryId),
      delivery,
    )
  }
})

test('the deliveries of an event are an empty list if no webhook is subscribed to it', async () => {
  const own = await connectNewPartner(service)
  assert.deepEqual(await deliveriesOfEvent(own, await newEvent(own)), [])
})

test('the deliveries of an event no longer include the delivery to a webhook that was deleted', async (t) => {
  const own = await connectNewPartner(service)
  const receiver = await startReceiver(t)
  const [kept, gone] = [await register(own, receiver.port), await register(own, receiver.port)]
  const eventId = await newEvent(own)
  await waitFor(
    'both deliveries are listed',
    () => deliveriesOfEvent(own, eventId),
    ({ length }) => length === 2,
  )
  succeeded(await own.delete(`/Webhooks/${gone}`))
  const left = await deliveriesOfEvent(own, eventId)
  assert.deepEqual(
    left.map(({ webhookId }) => webhookId),
    [kept],
  )
})
