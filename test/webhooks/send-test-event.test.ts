import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { receivers } from './webhook-names.ts'

const service = await shareTestService({}, { receivers })
const partner = await connectPartner(service.baseUrl, service.credentials)
const register = async (own: Partner = partner) =>
  succeeded(await own.post('/Webhooks', { url: 'https://hooks.test/in', events: ['customer.status.changed'] }))
const sendTo = (webhookId: string, body?: unknown) => partner.post(`/Webhooks/${webhookId}/send-test-event`, body)

test('a test event of any type is queued with the ids in the response', async () => {
  const { webhookId } = await register()
  for (const [body, type] of [
    [undefined, 'customer.status.changed'],
    [{}, 'customer.status.changed'],
    [{ type: 'customer.payment.updated' }, 'customer.payment.updated'],
    [{ type: 'quote.status.changed' }, 'quote.status.changed'],
  ] as const) {
    const { deliveryId, messageId, ...rest } = succeeded(await sendTo(webhookId, body))
    assert.deepEqual(rest, { webhookId, type })
    assert.match(deliveryId, /^delivery_[0-9a-z]{26}$/)
    const [delivery] = await rawRows(service, 'select * from deliveries where delivery_id = $1', [deliveryId])
    assert.deepEqual([delivery?.message_id, delivery?.event_type, delivery?.event_id], [messageId, type, null])
  }
})

test('a test event of an unknown type returns webhook_event_unknown', async () => {
  const { webhookId } = await register()
  for (const type of ['quote.created', '', 'webhook.verification']) {
    const problem = rejected(await sendTo(webhookId, { type }), 422, 'webhook_event_unknown')
    assert.deepEqual(invalidFields(problem), [['/type', 'webhook_event_unknown']])
  }
  assert.deepEqual(invalidFields(rejected(await sendTo(webhookId, { type: 1, kind: 'x' }), 400, 'invalid_request')), [
    ['/kind', 'unknown_field'],
    ['/type', 'wrong_type'],
  ])
})

test('a test event to a disabled webhook is rejected, and the error says how to enable the webhook', async () => {
  const { webhookId } = await register()
  succeeded(await partner.patch(`/Webhooks/${webhookId}`, { status: 'disabled' }))
  const { detail } = rejected(await sendTo(webhookId), 422, 'webhook_disabled')
  assert.match(detail, /You disabled it\. Enable it first: PATCH/)
})

test('a challenge to a disabled webhook is rejected, and the error says how to enable the webhook', async () => {
  const { webhookId } = await register()
  succeeded(await partner.patch(`/Webhooks/${webhookId}`, { status: 'disabled' }))
  const path = `/Webhooks/${webhookId}/send-verification`
  assert.match(rejected(await partner.post(path), 422, 'webhook_disabled').detail, /Enable it first/)
})
