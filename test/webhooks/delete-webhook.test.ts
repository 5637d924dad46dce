import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { connectNewPartner } from '../support/partners.ts'
import { rejected, succeeded, withoutRequestId } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { egress, resolver } from './webhook-names.ts'

const service = await startTestService({}, { egress, resolver })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const body = { url: 'https://hooks.test/in', events: ['quote.status.changed'] }
const register = async (own: Partner = partner, url = body.url) =>
  succeeded(await own.post('/Webhooks', { ...body, url }))
const unknownId = 'webhook_01h455vb4pex5vsknk084sn02q'

test('deleting a webhook returns its id, and every later call returns 404', async () => {
  const { webhookId } = await register()
  const path = `/Webhooks/${webhookId}`
  assert.deepEqual(succeeded(await partner.delete(path)), { id: webhookId, deleted: true })
  for (const [method, suffix, sent] of [
    ['GET', '', undefined],
    ['PATCH', '', { status: 'active' }],
    ['DELETE', '', undefined],
    ['POST', '/rotate-secret', undefined],
    ['POST', '/send-test-event', undefined],
    ['POST', '/send-verification', undefined],
  ] as const) {
    const gone = await partner.send(method, `${path}${suffix}`, sent)
    rejected(gone, 404, 'not_found')
    const unknown = await partner.send(method, `/Webhooks/${unknownId}${suffix}`, sent)
    assert.equal(withoutRequestId(gone), withoutRequestId(unknown))
  }
})

test('of many simultaneous calls that delete a webhook, one deletes it', async () => {
  const { webhookId } = await register()
  const responses = await Promise.all(Array.from({ length: 5 }, () => partner.delete(`/Webhooks/${webhookId}`)))
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 404, 404, 404, 404])
})

test('deleting a webhook makes room for another; disabling it does not', async () => {
  const full = await connectNewPartner(service)
  const webhooks = await Promise.all(
    Array.from({ length: 20 }, (_, index) => register(full, `https://hooks.test/${index}`)),
  )
  const [one, other] = webhooks
  assert.ok(one && other)
  succeeded(await full.patch(`/Webhooks/${one.webhookId}`, { status: 'disabled' }))
  rejected(await full.post('/Webhooks', body), 422, 'too_many_webhooks')
  succeeded(await full.delete(`/Webhooks/${other.webhookId}`))
  await register(full, 'https://hooks.test/another')
  rejected(await full.post('/Webhooks', body), 422, 'too_many_webhooks')
})

test('the secret of a deleted webhook is deleted immediately, except in responses that can still be replayed', async () => {
  const secretsOf = (webhookId: string) =>
    rawRows(service, 'select * from webhook_secrets where webhook_id = $1', [webhookId])
  const { webhookId } = await register()
  succeeded(await partner.delete(`/Webhooks/${webhookId}`))
  assert.deepEqual(await secretsOf(webhookId), [])

  const headers = { 'Idempotency-Key': 'register-to-delete' }
  const first = await partner.post('/Webhooks', body, { headers })
  const keyed = succeeded(first).webhookId
  succeeded(await partner.post(`/Webhooks/${keyed}/rotate-secret`))
  succeeded(await partner.delete(`/Webhooks/${keyed}`))
  assert.deepEqual(
    (await secretsOf(keyed)).map(({ secret_number }) => secret_number),
    [1],
  )
  const replay = await partner.post('/Webhooks', body, { headers })
  assert.equal(succeeded(replay) && replay.text, first.text)
  rejected(await partner.get(`/Webhooks/${keyed}`), 404, 'not_found')
})

test('a deletion whose body has fields is rejected, and nothing is deleted', async () => {
  const { webhookId } = await register()
  rejected(await partner.delete(`/Webhooks/${webhookId}`, { force: true }), 400, 'invalid_request')
  succeeded(await partner.get(`/Webhooks/${webhookId}`))
  succeeded(await partner.delete(`/Webhooks/${webhookId}`, {}))
})
