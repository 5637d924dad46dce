import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { connectNewPartner } from '../support/partners.ts'
import { invalidFields, rejected, succeeded, withoutRequestId } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { receivers, withoutFailingSince } from './webhook-names.ts'

const service = await shareTestService({}, { receivers })
const partner = await connectPartner(service.baseUrl, service.credentials)

async function registerSome(own: Partner, count: number): Promise<Record<string, unknown>[]> {
  const registered: Record<string, unknown>[] = []
  for (let number = 0; number < count; number += 1) {
    const body = { url: `https://hooks.test/${number}`, events: ['quote.status.changed'] }
    const { secret: _shownOnce, ...webhook } = succeeded(await own.post('/Webhooks', body))
    registered.unshift(withoutFailingSince(webhook))
  }
  return registered
}

test('the list is empty for a partner without webhooks', async () => {
  assert.deepEqual(succeeded(await (await connectNewPartner(service)).get('/Webhooks')), { data: [], nextCursor: null })
})

test('a list has only the webhooks of the requesting partner, newest first and without secrets', async () => {
  const own = await connectNewPartner(service)
  await registerSome(partner, 1)
  const registered = await registerSome(own, 3)
  const response = await own.get('/Webhooks')
  const { data, nextCursor } = succeeded(response)
  assert.deepEqual([data.map(withoutFailingSince), nextCursor], [registered, null])
  assert.equal(response.text.includes('whsec_'), false)
})

test('the list, read page by page, has every webhook exactly once', async () => {
  const own = await connectNewPartner(service)
  const registered = await registerSome(own, 5)
  const seen: unknown[] = []
  let query = 'limit=2'
  for (let page = 0; page < 3; page += 1) {
    const { data, nextCursor } = succeeded(await own.get(`/Webhooks?${query}`))
    assert.equal(nextCursor === null, page === 2)
    seen.push(...data.map(withoutFailingSince))
    query = `limit=2&cursor=${nextCursor}`
  }
  assert.deepEqual(seen, registered)
})

test('the list leaves out deleted webhooks and shows disabled ones', async () => {
  const own = await connectNewPartner(service)
  const [newest, middle, oldest] = await registerSome(own, 3)
  succeeded(await own.delete(`/Webhooks/${middle?.webhookId}`))
  succeeded(await own.patch(`/Webhooks/${oldest?.webhookId}`, { status: 'disabled' }))
  const { data } = succeeded(await own.get('/Webhooks'))
  assert.deepEqual(
    data.map(({ webhookId, status }) => [webhookId, status]),
    [
      [newest?.webhookId, 'active'],
      [oldest?.webhookId, 'disabled'],
    ],
  )
})

test('the error for an invalid cursor names it', async () => {
  for (const cursor of ['nonsense', Buffer.from('quote_01h455vb4pex5vsknk084sn02q').toString('base64url')]) {
    const problem = rejected(await partner.get(`/Webhooks?cursor=${cursor}`), 422, 'validation_failed')
    assert.deepEqual(invalidFields(problem), [['/query/cursor', 'wrong_format']])
  }
})

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
