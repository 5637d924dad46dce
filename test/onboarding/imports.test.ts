import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static } from 'typebox'
import type { getImportRoute } from '../../src/onboarding/imports/imports.route.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, sampleTenants, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, testTime } from '../support/quote-fixtures.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

type Import = Static<(typeof getImportRoute)['reply']>

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid, addressLine1, postcode } = ordinaryProperty()
const contactPermission = { givenAt: '2026-11-30T18:00:00Z', by: 'booking form' }

/** A household of two whose addresses are like no other row's. */
const rowOf = (reference: string, changes: object = {}) => ({
  ...{ addressUid, packages: ['electricity'], reference, onDuplicateReference: 'return', ...changes },
  tenants: sampleTenants(2).map(({ name }, index) => ({ name, email: `${reference}-${index}@list.example` })),
})
const start = (rows: object[], by: Partner = partner) => by.post('/Imports', { kind: 'start', rows }).then(succeeded)
const read = (importId: string, by: Partner = partner) => by.get(`/Imports/${importId}?limit=100`).then(succeeded)
/** A sandbox does rows before its clock moves, as the job does them. */
const work = (by: Partner = partner) => advanceClock(by, { seconds: 1 })
const quotesOf = async (by: Partner = partner) => succeeded(await by.get('/Quotes?limit=100')).data
const outcomes = ({ data }: Import) => data.map(({ outcome }) => outcome)

test('each row is done once, one that fails keeps none of the others, and the same list again makes nothing twice', async () => {
  const written = { address: `${addressLine1.toUpperCase()} ${postcode}` }
  const rows = [
    rowOf('list-1'),
    { ...rowOf('list-2'), addressUid: undefined, address: written },
    { ...rowOf('list-3'), addressUid: undefined, address: '99 Nowhere Street, Leeds' },
    rowOf('list-4', { packages: ['gas'], addressUid: 'unknown' }),
  ]
  const { importId, ...begun } = await start(rows)
  assert.deepEqual([begun.state, begun.counts.pending], ['running', 4])
  const [stored] = await rawRows(
    service,
    'select string_agg(content_encrypted, $2) as all from import_rows where import_id = $1',
    [importId, ' '],
  )
  assert.ok(!/list-1/.test(String(stored?.all)), 'rows are encrypted')
  await Promise.all([work(), work()])
  const { state, counts, data } = await read(importId)
  assert.deepEqual([state, counts], ['finished', { pending: 0, done: 2, unchanged: 0, failed: 2, cancelled: 0 }])
  const [first, , third, fourth] = data
  assert.deepEqual(
    first?.tenants.map(({ email }) => email),
    ['list-1-0@list.example', 'list-1-1@list.example'],
  )
  assert.equal((await fetch(first?.tenants[0]?.url ?? '')).status, 200)
  assert.deepEqual([third?.problem?.code, third?.problem?.pointer], ['address_not_found', '/address'])
  assert.equal(fourth?.problem?.code, 'address_not_found')
  assert.deepEqual((await quotesOf()).map(({ reference }) => reference).sort(), ['list-1', 'list-2'])

  const again = await start(rows.slice(0, 2))
  await work()
  const unchanged = await read(again.importId)
  assert.deepEqual(outcomes(unchanged), ['unchanged', 'unchanged'])
  assert.deepEqual(
    unchanged.data.map(({ quoteId }) => quoteId),
    data.slice(0, 2).map(({ quoteId }) => quoteId),
  )
  assert.equal((await quotesOf()).length, 2)
})

test('a row whose result cannot be stored leaves no half of a household, and is done by the next run', async () => {
  const own = await connectNewPartner(service)
  const { importId } = await start(
    ['cut-1', 'cut-2', 'cut-3'].map((reference) => rowOf(reference)),
    own,
  )
  await rawRows(
    service,
    `create function cut() returns trigger language plpgsql as $$ begin raise 'cut'; end $$;
     create trigger cut before update on import_rows for each row
       when (new.import_id = '${importId}' and new.row_number = 2 and new.outcome is not null) execute function cut()`,
  )
  rejected(await own.post('/Sandbox/clock/advance', { seconds: 1 }), 500, 'internal_error')
  assert.deepEqual(outcomes(await read(importId, own)), ['done', 'pending', 'done'])
  assert.deepEqual(
    (await quotesOf(own)).map(({ reference }) => reference),
    ['cut-3', 'cut-1'],
  )
  await rawRows(service, 'drop trigger cut on import_rows; drop function cut()')
  await work(own)
  assert.deepEqual(outcomes(await read(importId, own)), ['done', 'done', 'done'])
  assert.deepEqual(
    (await quotesOf(own)).map(({ reference }) => reference),
    ['cut-2', 'cut-3', 'cut-1'],
  )
})

test('a draft keeps its text until rows begin, once; what is cancelled is not done, and nobody else sees any of it', async () => {
  const { importId, ...draft } = succeeded(await partner.post('/Imports', { kind: 'start', draft: 'Ada, Leeds' }))
  assert.deepEqual([draft.state, draft.draft], ['draft', 'Ada, Leeds'])
  const change = (body: object) => partner.patch(`/Imports/${importId}`, body)
  assertProblem(
    await change({ kind: 'end', rows: [{ reference: 'x', lastDay: '2027-06-30', reason: 'tenancy_ended' }] }),
    'validation_failed',
    ['/kind'],
  )
  succeeded(await change({ kind: 'start', rows: [rowOf('never')], draft: 'left' }))
  assertProblem(await change({ kind: 'start', rows: [rowOf('never')] }), 'import_begun')
  assert.equal(succeeded(await partner.post(`/Imports/${importId}/cancel`)).counts.cancelled, 1)
  await work()
  const { state, draft: kept, data } = await read(importId)
  assert.deepEqual([state, kept, data[0]?.outcome, data[0]?.quoteId], ['finished', 'left', 'cancelled', null])
  const { data: newest, nextCursor } = succeeded(await partner.get('/Imports?limit=1'))
  assert.deepEqual(
    newest.map((each) => [each.importId, each.state, each.counts.cancelled]),
    [[importId, 'finished', 1]],
  )
  const older = succeeded(await partner.get(`/Imports?limit=1&cursor=${nextCursor}`))
  assert.ok((older.data[0]?.createdAt ?? '') <= (newest[0]?.createdAt ?? ''))
  const stranger = await connectNewPartner(service)
  assert.deepEqual(succeeded(await stranger.get('/Imports')).data, [])
  for (const response of [
    await stranger.get(`/Imports/${importId}`),
    await stranger.post(`/Imports/${importId}/cancel`),
  ])
    rejected(response, 404, 'not_found')
})

test('what is wrong with rows is said with its place before any is stored', async () => {
  const [tenant = {}] = sampleTenants(1)
  const rows = [
    rowOf('good'),
    { ...rowOf('bad'), tenants: [{ ...tenant, email: 'nobody' }], address: '1 Mill Lane' },
    { ...rowOf('old'), contractStartDate: '2020-01-01', sendEmails: true },
    { lastDay: '2027-06-30' },
  ]
  const wrong = ['0/email', '1/contactPermission'].map((place, index) => `/rows/${index + 1}/tenants/${place}`)
  assertProblem(await partner.post('/Imports', { kind: 'start', rows }), 'validation_failed', [
    ...wrong,
    ...['/rows/1', '/rows/2/contractStartDate', '/rows/2/tenants/0/contactPermission'],
    ...['/rows/3/packages', '/rows/3/tenants', '/rows/3/lastDay', '/rows/3'],
  ])
  const many = Array.from({ length: 501 }, () => rowOf('many'))
  assertProblem(await partner.post('/Imports', { kind: 'start', rows: many }), 'validation_failed', ['/rows'])
  const wide = [{ ...rowOf('wide'), tenants: Array.from({ length: 1_000 }, () => tenant) }]
  assertProblem(await partner.post('/Imports', { kind: 'start', rows: wide }), 'validation_failed', ['/rows/0'])
})

test('a row of kind end asks the tenants of the household that it means, says who follows, and ends nothing', async () => {
  const own = await connectNewPartner(service)
  const household = await startHousehold(own, { tenants: 2, reference: 'june' })
  for (const tenant of household.tenants) await onboard(own, tenant)
  const { address } = succeeded(await own.get(`/Quotes/${household.quoteId}`))
  const end = { lastDay: '2027-06-30', reason: 'tenancy_ended', evidence: 'tenants_notice' }
  const written = `${address.addressLine1}, ${address.postCode}`
  const rows = [
    { ...end, address: written, nextOccupier: { who: 'landlord', name: 'Kim Reed' } },
    { ...end, reference: 'june' },
    { ...end, reference: 'july' },
  ]
  const { importId } = succeeded(await own.post('/Imports', { kind: 'end', rows }))
  await work(own)
  const { data } = await read(importId, own)
  assert.deepEqual(
    data.map(({ outcome, quoteId }) => [outcome, quoteId]),
    [
      ['done', household.quoteId],
      ['done', household.quoteId],
      ['failed', null],
    ],
  )
  const questions = await rawRows(service, 'select last_day::text from tenancy_end_questions where quote_id = $1', [
    household.quoteId,
  ])
  assert.deepEqual(questions, [{ last_day: '2027-06-30' }, { last_day: '2027-06-30' }])
  const [{ contract } = { contract: null }] = [succeeded(await own.get(`/Customers/${household.lead}`))]
  assert.deepEqual([contract?.status, contract?.endedOn], ['in_force', null])
})

test('an import waits and asks once more than 3 % and three of its addresses were wrong', async () => {
  const own = await connectNewPartner(service)
  const rows = Array.from({ length: 4 }, (_, index) => {
    const { tenants, ...row } = rowOf(`wrong-${index}`)
    return { ...row, sendEmails: true, tenants: tenants.map((each) => ({ ...each, contactPermission })) }
  })
  const first = await start(rows.slice(0, 2), own)
  await work(own)
  const refuse = (limit: number) =>
    rawRows(
      service,
      `insert into tenant_mail_refusals (email_hash, partner_id, refused_at)
       select c.email_hash, c.partner_id, now() from customers c join import_rows r using (partner_id, quote_id)
        where r.import_id = $1 limit $2 on conflict do nothing`,
      [first.importId, limit],
    )
  const stateAfter = async (refusals: number, row: object) => {
    await refuse(refusals)
    const { importId } = await start([row], own)
    await work(own)
    return { importId, state: (await read(importId, own)).state }
  }
  const [third = {}, fourth = {}] = rows.slice(2)
  assert.equal((await stateAfter(2, third)).state, 'finished')
  const { importId, state } = await stateAfter(3, fourth)
  assert.deepEqual([state, (await quotesOf(own)).length], ['paused', 3])
  succeeded(await own.patch(`/Imports/${importId}`, { goOn: true }))
  await work(own)
  assert.deepEqual([(await read(importId, own)).state, (await quotesOf(own)).length], ['finished', 4])
})

test('an erasure clears the row of the household', async () => {
  const { importId } = await start([rowOf('erased'), rowOf('kept')])
  await work()
  const [row] = (await read(importId)).data
  succeeded(await partner.post(`/Customers/${row?.tenants[0]?.customerId}/erase`))
  const after = (await read(importId)).data
  assert.deepEqual([after[0]?.sent, after[0]?.tenants, after[1]?.sent?.reference], [null, [], 'kept'])
})
