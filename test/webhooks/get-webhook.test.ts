import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { egress, resolver } from './webhook-names.ts'
import { withoutFailingSince } from './without-failing-since.ts'

const service = await startTestService({}, { egress, resolver })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const register = async (own: Partner) =>
  succeeded(await own.post('/Webhooks', { url: 'https://hooks.test/in', events: ['customer.payment.updated'] }))

test('reading a webhook returns the same as registering it, without the secret', async () => {
  const { secret, ...registered } = await register(partner)
  const response = await partner.get(`/Webhooks/${registered.webhookId}`)
  assert.deepEqual(withoutFailingSince(succeeded(response)), withoutFailingSince(registered))
  assert.ok(secret.length > 40)
  assert.equal(response.text.includes('whsec_'), false)
})

test('createdAt is the real time even if the sandbox clock was moved', async () => {
  succeeded(await partner.post('/Sandbox/clock/advance', { seconds: 8_640_000 }))
  const { webhookId } = await register(partner)
  const { createdAt } = succeeded(await partner.get(`/Webhooks/${webhookId}`))
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000, createdAt)
})
