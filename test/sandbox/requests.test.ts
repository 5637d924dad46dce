import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { newId } from '../../src/platform/kernel/ids.ts'
import { startRequestLog } from '../../src/sandbox/requests/request-log.ts'
import { sandboxRequestsJob } from '../../src/sandbox/requests/sandbox-requests.job.ts'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { connectNewPartner, withDatabase } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await shareTestService()
const path = '/Sandbox/requests'

/** The partner's requests, once one with this id is listed. */
async function listedWith(partner: Partner, requestId: string, query = '') {
  const list = async () => succeeded(await partner.get(`${path}?limit=100${query}` as typeof path)).data
  return waitFor('the request is listed', list, (data) => data.some((each) => each.requestId === requestId))
}

test('requests are listed with operation, route, status, code, id and duration, newest first, without ids of the path', async () => {
  const partner = await connectNewPartner(service)
  const { quoteId } = await createQuote(partner)
  succeeded(await partner.get(`/Quotes/${quoteId}`, { headers: { 'X-Request-Id': 'a-read' } }))
  const unknown = '/Quotes/quote_01h455vb4pex5vsknk084sn02q/total-cost?x=1' as '/Quotes/{id}/total-cost'
  await partner.get(unknown, { headers: { 'X-Request-Id': 'a-failure' } })
  const listed = await listedWith(partner, 'a-failure')
  const [failure, read, creation] = listed.filter(({ operation }) => operation !== 'sandboxListRequests')
  const { createdAt, durationMs, ...facts } = failure ?? assert.fail()
  assert.deepEqual(facts, {
    requestId: 'a-failure',
    method: 'GET',
    route: '/partner-api/Quotes/{id}/total-cost',
    operation: 'getQuoteTotalCost',
    status: 400,
    code: 'invalid_request',
  })
  assert.ok(durationMs < 60_000 && Math.abs(Date.now() - Date.parse(createdAt)) < 60_000)
  assert.deepEqual([read?.requestId, read?.status, read?.code], ['a-read', 200, null])
  assert.deepEqual(
    [creation?.operation, creation?.method, creation?.route],
    ['createQuote', 'POST', '/partner-api/Quotes'],
  )
})

test('operation, status, time and cursor select requests, and another partner sees none of them', async () => {
  const [partner, other] = [await connectNewPartner(service), await connectNewPartner(service)]
  for (let count = 0; count < 5; count++) await partner.get('/Quotes')
  await partner.get('/Webhooks/webhook_01h455vb4pex5vsknk084sn02q', { headers: { 'X-Request-Id': 'missing' } })
  await listedWith(partner, 'missing')
  const page = async (query: string) => succeeded(await partner.get(`${path}?${query}` as typeof path))
  assert.equal((await page('operation=listQuotes')).data.length, 5)
  assert.deepEqual(
    (await page('status=404')).data.map(({ requestId }) => requestId),
    ['missing'],
  )
  assert.deepEqual((await page('createdBefore=2020-01-01T00:00:00Z')).data, [])
  assert.equal((await page('createdAfter=2020-01-01T00:00:00Z&operation=listQuotes')).data.length, 5)
  const first = await page('operation=listQuotes&limit=3')
  const second = await page(`operation=listQuotes&limit=3&cursor=${first.nextCursor}`)
  assert.deepEqual([first.data.length, second.data.length, second.nextCursor], [3, 2, null])
  assert.equal(new Set([...first.data, ...second.data].map(({ requestId }) => requestId)).size, 5)
  const foreign = succeeded(await other.get(path)).data
  assert.ok(foreign.every(({ operation }) => operation === 'sandboxListRequests'))
  assertProblem(await partner.get(`${path}?status=99` as typeof path), 'validation_failed', ['/query/status'])
  assertProblem(await partner.get(`${path}?cursor=eA` as typeof path), 'validation_failed', ['/query/cursor'])
})

test("the job keeps each partner's latest 10,000 requests of the last seven days", async () => {
  await rawRows(
    service,
    `insert into sandbox_requests (partner_id, entry_id, at, request_id, method, route, operation_id, status,
     duration_ms)
     select 'partner_many', 'request_' || to_char(n, 'FM000000'), now(), 'r', 'GET', '/', 'listQuotes', 200, 1
       from generate_series(1, 11003) n
     union all
     select 'partner_old', 'request_' || n, now() - n * interval '1 day', 'r', 'GET', '/', 'listQuotes', 200, 1
       from generate_series(5, 9) n`,
  )
  await rawRows(
    service,
    `insert into partners (partner_id, name) values ('partner_many', 'Many'), ('partner_old', 'Old')`,
  )
  await withDatabase(service, (db) =>
    sandboxRequestsJob({ db, log: pino({ level: 'silent' }) }).run(new AbortController().signal),
  )
  // Other test files list all partners of this service, and expect ids of ours.
  await rawRows(service, `delete from partners where partner_id in ('partner_many', 'partner_old')`)
  const kept = await rawRows(
    service,
    `select partner_id as "partnerId", count(*)::int, min(entry_id) as first, max(entry_id) as last
     from sandbox_requests
      where partner_id in ('partner_many', 'partner_old') group by 1 order by 1`,
  )
  assert.deepEqual(kept, [
    { partnerId: 'partner_many', count: 10_000, first: 'request_001004', last: 'request_011003' },
    { partnerId: 'partner_old', count: 2, first: 'request_5', last: 'request_6' },
  ])
})

test('requests that wait to be written are written at the end, and a batch that cannot be written is reported and lost', async () => {
  const request = {
    partnerId: 'partner_stopped',
    entryId: newId('request'),
    at: new Date(),
    requestId: 'the-last',
    method: 'GET',
    route: '/partner-api/Quotes',
    operationId: 'listQuotes',
    status: 200,
    code: null,
    durationMs: 1,
  }
  const lost: number[] = []
  await withDatabase(service, async (db) => {
    const log = startRequestLog(db, (_error, count) => lost.push(count))
    log.add(request)
    await log.stop()
    const again = startRequestLog(db, (_error, count) => lost.push(count))
    again.add(request)
    await again.stop()
  })
  const written = await rawRows(service, `select from sandbox_requests where partner_id = 'partner_stopped'`)
  assert.deepEqual([written.length, lost], [1, [1]])
})
