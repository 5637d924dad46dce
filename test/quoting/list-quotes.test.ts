import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quoteStatuses } from '../../src/quoting/quotes/quote.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { addBroadband, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import {
  advanceClock,
  createActiveQuote,
  createCancelledQuote,
  createCompletedQuote,
  createQuote,
  getQuote,
  testTime,
} from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

/** The ids on all pages of a query. */
async function list(own: Partner, query: Record<string, string | number> = {}): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const search = new URLSearchParams({ ...query, ...(cursor === '' ? {} : { cursor }) } as Record<string, string>)
    const page: { data: { quoteId: string }[]; nextCursor: string | null } = succeeded(
      await own.get(`/Quotes?${search}`),
    )
    ids.push(...page.data.map(({ quoteId }) => quoteId))
    cursor = page.nextCursor
  }
  return ids
}

test('a partner without quotes gets an empty list without a next page', async () => {
  const own = await connectNewPartner(service)
  assert.deepEqual(succeeded(await own.get('/Quotes')), { data: [], nextCursor: null })
})

test('quotes are listed newest first, with the same content as when read by id, and only to their partner', async () => {
  const own = await connectNewPartner(service)
  const { quoteId: first } = await createQuote(own)
  const { quoteId: second, lead } = await startHousehold(own, { reference: 'second' })
  const { data, nextCursor } = succeeded(await own.get('/Quotes'))
  assert.equal(nextCursor, null)
  assert.deepEqual(
    data.map(({ quoteId }) => quoteId),
    [second, first],
  )
  const [latest] = data
  assert.ok(latest)
  const quote = await getQuote(own, second)
  const shared = Object.entries(quote).filter(([name]) => name in latest)
  assert.deepEqual(latest, Object.fromEntries(shared))
  assert.deepEqual([latest.leadTenantId, latest.reference, latest.status], [lead, 'second', 'TenantsAdded'])
  assert.deepEqual(await list(await connectNewPartner(service)), [])
})

test('pages read by cursor have no gaps or repetitions while quotes are created', async () => {
  const own = await connectNewPartner(service)
  const made: string[] = []
  for (let count = 0; count < 5; count += 1) made.unshift((await createQuote(own)).quoteId)
  const first = succeeded(await own.get('/Quotes?limit=2'))
  assert.equal(first.data.length, 2)
  const late = (await createQuote(own)).quoteId
  const second = succeeded(await own.get(`/Quotes?limit=2&cursor=${first.nextCursor}`))
  const third = succeeded(await own.get(`/Quotes?limit=2&cursor=${second.nextCursor}`))
  assert.equal(third.nextCursor, null)
  const seen = [...first.data, ...second.data, ...third.data].map(({ quoteId }) => quoteId)
  assert.deepEqual(seen, made)
  assert.deepEqual(await list(own, { limit: 2 }), [late, ...made])
  assert.deepEqual(await list(own, { limit: 6 }), [late, ...made], 'a full last page has no next page')
})

test('a page has 20 quotes by default and up to 100 with limit', async () => {
  const own = await connectNewPartner(service)
  for (let count = 0; count < 21; count += 1) await createQuote(own)
  assert.equal(succeeded(await own.get('/Quotes')).data.length, 20)
  assert.equal(succeeded(await own.get('/Quotes?limit=100')).data.length, 21)
  assert.equal(succeeded(await own.get('/Quotes?limit=1')).data.length, 1)
})

test('quotes can be filtered by status, reference, branch and creation time, separately and combined', async () => {
  const own = await connectNewPartner(service)
  const path = (id: string, operation: string) => `/Quotes/${id}/${operation}`
  const draft = (await createQuote(own, { reference: 'twice' })).quoteId
  const selected = (await createQuote(own, { packages: ['gas'], reference: 'twice', branch: 'Leeds', soldBy: 'Kim' }))
    .quoteId
  const tenants = (await startHousehold(own)).quoteId
  const updated = (await createQuote(own)).quoteId
  succeeded(await own.post(path(updated, 'update-packages'), { packageIds: ['gas-standard'] }))
  const broadband = (await createQuote(own)).quoteId
  await addBroadband(own, broadband)
  const byStatus = {
    draft,
    PackagesSelected: selected,
    TenantsAdded: tenants,
    PackagesUpdated: updated,
    BroadbandAdded: broadband,
    active: (await createActiveQuote(own)).quoteId,
    completed: (await createCompletedQuote(own)).quoteId,
    cancelled: (await createCancelledQuote(own)).quoteId,
  }
  assert.deepEqual(Object.keys(byStatus), quoteStatuses)
  for (const [status, quoteId] of Object.entries(byStatus)) assert.deepEqual(await list(own, { status }), [quoteId])
  assert.deepEqual(await list(own, { reference: 'twice' }), [selected, draft])
  assert.deepEqual(await list(own, { reference: 'twice', status: 'draft' }), [draft])
  assert.deepEqual(await list(own, { reference: 'Twice' }), [])
  assert.deepEqual([await list(own, { branch: 'Leeds' }), await list(own, { branch: 'leeds' })], [[selected], []])
  assert.deepEqual([await list(own, { soldBy: 'Kim' }), await list(own, { soldBy: 'Lee' })], [[selected], []])
  assert.equal(succeeded(await own.get(`/Quotes/${selected}`)).branch, 'Leeds')

  await advanceClock(own, { days: 1 })
  const late = await createQuote(own)
  assert.deepEqual(await list(own, { createdFrom: '2026-12-02T09:00:00Z' }), [late.quoteId])
  assert.deepEqual(await list(own, { createdFrom: late.createdAt, createdBefore: '2027-01-01T00:00:00+00:00' }), [
    late.quoteId,
  ])
  assert.equal((await list(own, { createdBefore: late.createdAt })).length, 8)
  assert.deepEqual(await list(own, { createdBefore: testTime }), [])
})

test('all invalid parameters are named; a time without a zone is invalid', async () => {
  const bad = (query: string) => partner.get(`/Quotes?${query}`)
  assertProblem(await bad('status=Draft&limit=0&createdFrom=2026-12-01T09:00:00&reference='), 'validation_failed', [
    '/query/status not_allowed',
    '/query/limit out_of_range',
    '/query/createdFrom wrong_format',
    '/query/reference too_short',
  ])
  assertProblem(await bad('limit=101&createdBefore=2026-12-01'), 'validation_failed', [
    '/query/limit out_of_range',
    '/query/createdBefore wrong_format',
  ])
  assertProblem(await bad('limit=ten&page=2&status=draft&status=active&createdFrom=now'), 'invalid_request', [
    '/query/limit wrong_type',
    '/query/page unknown_field',
    '/query/status wrong_type',
    '/query/createdFrom wrong_format',
  ])
  assertProblem(await bad('reference=nul%00'), 'validation_failed', ['/query/reference wrong_format'])
})

test('a cursor that is not from this list returns 422', async () => {
  const wrong = [
    'nonsense',
    Buffer.from('tenant_01h455vb4pex5vsknk084sn02q').toString('base64url'),
    Buffer.from("quote_' or 1=1 --").toString('base64url'),
  ]
  for (const cursor of wrong) {
    assertProblem(await partner.get(`/Quotes?cursor=${cursor}`), 'validation_failed', ['/query/cursor wrong_format'])
  }
})
