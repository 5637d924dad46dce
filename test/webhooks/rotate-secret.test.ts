import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { receivers, withoutFailingSince } from './webhook-names.ts'

const service = await shareTestService({}, { receivers })
const partner = await connectPartner(service.baseUrl, service.credentials)
const body = { url: 'https://hooks.test/in', events: ['quote.status.changed'] }
const register = async (own: Partner = partner) => succeeded(await own.post('/Webhooks', body))

test('a rotation returns the webhook with a new secret and the time, in 24 hours, when the old one expires', async () => {
  const { secret: old, ...webhook } = await register()
  const { secret, previousSecretValidUntil, ...rest } = succeeded(
    await partner.post(`/Webhooks/${webhook.webhookId}/rotate-secret`),
  )
  const asRotated = { ...withoutFailingSince(webhook), previousSecretValidUntil }
  assert.deepEqual({ ...withoutFailingSince(rest), previousSecretValidUntil }, asRotated)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notEqual(secret, old)
  const hours = (Date.parse(previousSecretValidUntil) - Date.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours < 24.1, `${hours} h`)
  const read = () => partner.get(`/Webhooks/${webhook.webhookId}`)
  assert.deepEqual(withoutFailingSince(succeeded(await read())), asRotated)
  await rawRows(
    service,
    'update webhook_secrets set signs_until = now() where webhook_id = $1 and signs_until is not null',
    [webhook.webhookId],
  )
  assert.deepEqual(withoutFailingSince(succeeded(await read())), withoutFailingSince(webhook), '24 hours have passed')
})

test('a rotation repeated with its Idempotency-Key returns the same bytes, even after the next rotation', async () => {
  const registration = { headers: { 'Idempotency-Key': 'rotated-later' } }
  const registered = await partner.post('/Webhooks', body, registration)
  const { webhookId } = succeeded(registered)
  const path = `/Webhooks/${webhookId}/rotate-secret` as const
  const options = { headers: { 'Idempotency-Key': 'rotate-1' } }
  const first = await partner.post(path, undefined, options)
  const again = await partner.post(path, undefined, options)
  assert.equal(succeeded(again) && again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.notEqual(succeeded(await partner.post(path)).secret, succeeded(first).secret)
  assert.equal((await partner.post(path, undefined, options)).text, first.text)
  assert.equal((await partner.post('/Webhooks', body, registration)).text, registered.text)
  const secrets = await rawRows(service, 'select * from webhook_secrets where webhook_id = $1', [webhookId])
  assert.equal(secrets.length, 3)
})

test('simultaneous rotations each create a different secret', async () => {
  const { webhookId } = await register()
  const responses = await Promise.all(
    Array.from({ length: 4 }, () => partner.post(`/Webhooks/${webhookId}/rotate-secret`)),
  )
  assert.equal(new Set(responses.map((response) => succeeded(response).secret)).size, 4)
})

test('a disabled webhook can get a new secret', async () => {
  const { webhookId } = await register()
  succeeded(await partner.patch(`/Webhooks/${webhookId}`, { status: 'disabled' }))
  assert.equal(succeeded(await partner.post(`/Webhooks/${webhookId}/rotate-secret`)).status, 'disabled')
})
