import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { connectNewPartner } from '../support/partners.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { egress, resolver } from './webhook-names.ts'
import { withoutFailingSince } from './without-failing-since.ts'

const service = await startTestService({}, { egress, resolver })
after(() => service.stop())
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

test('the error for an invalid limit or cursor names it', async () => {
  for (const limit of ['0', '101', '-1']) {
    const problem = rejected(await partner.get(`/Webhooks?limit=${limit}`), 422, 'validation_failed')
    assert.deepEqual(invalidFields(problem), [['/query/limit', 'out_of_range']])
  }
  assert.deepEqual(invalidFields(rejected(await partner.get('/Webhooks?limit=many'), 400, 'invalid_request')), [
    ['/query/limit', 'wrong_type'],
  ])
  for (const cursor of ['nonsense', Buffer.from('quote_01h455vb4pex5vsknk084sn02q').toString('base64url')]) {
    const problem = rejected(await partner.get(`/Webhooks?cursor=${cursor}`), 422, 'validation_failed')
    assert.deepEqual(invalidFields(problem), [['/query/cursor', 'wrong_format']])
  }
})
