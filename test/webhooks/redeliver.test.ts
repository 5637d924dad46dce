import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Partner } from '../support/client.ts'
import { waitForDeliveries } from '../support/deliveries.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { startReceiver } from './receiver-fixture.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })

const register = async (own: Partner, port: number) =>
  succeeded(await own.post('/Webhooks', { url: `https://127.0.0.1:${port}/hook`, events: ['quote.status.changed'] }))
    .webhookId

/** A partner with one delivered event. */
async function delivered(t: Parameters<typeof startReceiver>[0]) {
  const own = await connectNewPartner(service)
  const receiver = await startReceiver(t)
  const webhookId = await register(own, receiver.port)
  const { quoteId } = await createQuote(own)
  const arrived = (attempts: number) =>
    waitForDeliveries(
      own,
      webhookId,
      ([latest]) => latest?.quoteId === quoteId && latest.status === 'delivered' && latest.attemptCount === attempts,
    )
  const [delivery] = await arrived(1)
  assert.ok(delivery)
  return { own, receiver, webhookId, delivery, arrived }
}

test('a redelivered message is pending in the response and arrives with the same webhook-id', async (t) => {
  const { own, receiver, delivery, arrived } = await delivered(t)
  const { nextAttemptAt, ...response } = succeeded(await own.post(`/Deliveries/${delivery.deliveryId}/redeliver`))
  assert.deepEqual(
    { ...response, nextAttemptAt: null },
    { ...delivery, status: 'pending', finishedAt: null, waitingFor: 'turn' },
  )
  assert.ok(Math.abs(Date.parse(nextAttemptAt ?? '') - Date.now()) < 60_000)
  await arrived(2)
  const [first, second] = receiver.events()
  assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
  assert.equal(second?.body, first?.body)
})

test('a redelivery to a disabled webhook returns 422 and says how to enable the webhook', async (t) => {
  const { own, webhookId, delivery } = await delivered(t)
  succeeded(await own.patch(`/Webhooks/${webhookId}`, { status: 'disabled' }))
  const { detail } = rejected(await own.post(`/Deliveries/${delivery.deliveryId}/redeliver`), 422, 'webhook_disabled')
  assert.match(detail, /disabled.*PATCH.*"status": "active"/)
  const { status } = succeeded(await own.get(`/Deliveries/${delivery.deliveryId}`))
  assert.equal(status, 'delivered')
})
