import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeJwt } from 'jose'
import type { Static } from 'typebox'
import { type FunnelObject, funnelColumns } from '../../src/back-office/reports/funnel.schema.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { addDays, londonDate } from '../../src/platform/kernel/dates.ts'
import { removeAbandonedQuotes } from '../../src/privacy/remove-abandoned-quotes.ts'
import { removeEndedContracts } from '../../src/privacy/remove-ended-contracts.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import type { Partner, Problem } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { addTenants, attachCard, finalise, onboard, sampleTenants } from '../support/household.ts'
import { connectOperator, type Operator, readPages } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import {
  advanceClock,
  createActiveQuote,
  createCancelledQuote,
  createCompletedQuote,
  createExpiredQuote,
  createLeadOnboardedQuote,
  createQuote,
  totalCost,
} from '../support/quote-fixtures.ts'
import { join, replace } from '../support/replacements.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { countNaively } from './naive-funnel.ts'

type Funnel = Static<typeof FunnelObject>
type Day = Funnel['data'][number]

const service = await startTestService()
after(() => service.stop())
let operator: Operator
before(async () => {
  operator = await connectOperator(service)
})
const today = londonDate(new Date())

const read = async (query = '') => succeeded(await operator.get<Funnel>(`/Reports/funnel?limit=500${query}`))

/** The stages that these tests walk through, and what was sold. */
const stages = ['quotes', 'priced', 'tenants', 'details', 'card', 'accepted', 'inForce', 'value'] as const

/** The counts of the partner's only day. */
async function countsOf(partner: Partner): Promise<number[]> {
  const { data } = await read(`&partnerId=${await partnerIdOf(partner)}`)
  assert.ok(data.length <= 1, 'the partner has quotes of one day')
  const [day] = data
  if (day === undefined) return []
  assert.equal(day.date, today)
  return stages.map((stage) => day[stage])
}

async function partnerIdOf({ token }: Partner): Promise<string> {
  const [row] = await rawRows(service, 'select partner_id from credentials where client_id = $1', [
    decodeJwt<{ client_id: string }>(token).client_id,
  ])
  return String(row?.partner_id)
}

test('a quote moves through every stage, and each step changes its own count and no other', async () => {
  const partner = await connectNewPartner(service)
  assert.deepEqual(await countsOf(partner), [])
  const { quoteId } = await createQuote(partner)
  assert.deepEqual(await countsOf(partner), [1, 0, 0, 0, 0, 0, 0, 0])
  const { packages } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  const packageIds = packages.filter(({ type }) => type === 'electricity').map(({ packageId }) => packageId)
  succeeded(await partner.post(`/Quotes/${quoteId}/add-packages`, { packageIds: packageIds.slice(0, 1) }))
  assert.deepEqual(await countsOf(partner), [1, 1, 0, 0, 0, 0, 0, 0])
  const [lead = '', other = ''] = await addTenants(partner, quoteId, sampleTenants(2))
  assert.deepEqual(await countsOf(partner), [1, 1, 1, 0, 0, 0, 0, 0])
  succeeded(await finalise(partner, lead))
  assert.deepEqual(await countsOf(partner), [1, 1, 1, 1, 0, 0, 0, 0])
  await attachCard(partner, lead)
  assert.deepEqual(await countsOf(partner), [1, 1, 1, 1, 1, 0, 0, 0])
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
  assert.deepEqual(await countsOf(partner), [1, 1, 1, 1, 1, 1, 0, 0])
  await onboard(partner, other)
  const { totalCost: value } = await totalCost(partner, quoteId)
  assert.ok(value > 0)
  assert.deepEqual(await countsOf(partner), [1, 1, 1, 1, 1, 1, 1, value])
  const contracts = await rawRows(service, 'select price from contracts where quote_id = $1', [quoteId])
  const agreed = contracts.map(({ price }) => (price as { shares: { totalCost: number }[] }).shares[0]?.totalCost ?? 0)
  assert.equal(agreed[0] !== undefined && agreed.reduce((sum, each) => sum + each), value, 'the sum of the contracts')
})

test('what a quote has reached it keeps: expired, cancelled, lapsed and reopened quotes stay where they came', async () => {
  const partner = await connectNewPartner(service)
  await createExpiredQuote(partner, { tenants: 0 })
  assert.deepEqual(await countsOf(partner), [1, 1, 0, 0, 0, 0, 0, 0])
  await createCancelledQuote(partner)
  assert.deepEqual(await countsOf(partner), [2, 2, 1, 0, 0, 0, 0, 0])
  await createActiveQuote(partner)
  assert.deepEqual(await countsOf(partner), [3, 3, 2, 1, 0, 0, 0, 0])
  const reopened = await createLeadOnboardedQuote(partner)
  succeeded(await partner.post(`/Quotes/${reopened.quoteId}/reopen`))
  assert.deepEqual(await countsOf(partner), [4, 4, 3, 2, 1, 1, 0, 0])
  succeeded(await partner.post(`/Quotes/${reopened.quoteId}/remove-tenants`, { tenantIds: [...reopened.tenants] }))
  assert.deepEqual(await countsOf(partner), [4, 4, 3, 2, 1, 1, 0, 0])
  const lapsed = await createLeadOnboardedQuote(partner)
  await advanceClock(partner, { days: 15 })
  succeeded(await partner.get(`/Quotes/${lapsed.quoteId}/total-cost`))
  assert.deepEqual(await countsOf(partner), [5, 5, 4, 3, 2, 2, 0, 0])
  succeeded(await partner.post(`/Quotes/${lapsed.quoteId}/cancel`))
  assert.deepEqual(await countsOf(partner), [5, 5, 4, 3, 2, 2, 0, 0])
})

test('a tenant whom the partner removes before they accepted anything counts as never added', async () => {
  const partner = await connectNewPartner(service)
  const { quoteId } = await createQuote(partner, { packages: ['electricity'] })
  const tenantIds = await addTenants(partner, quoteId, sampleTenants(1))
  succeeded(await finalise(partner, tenantIds[0] ?? ''))
  assert.deepEqual(await countsOf(partner), [1, 1, 1, 1, 0, 0, 0, 0])
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds }))
  assert.deepEqual(await countsOf(partner), [1, 1, 0, 0, 0, 0, 0, 0])
})

test('cancelled, ended and replaced contracts and a failed payment change nothing of what was agreed', async () => {
  const partner = await connectNewPartner(service)
  const first = await createCompletedQuote(partner, { tenants: 2 })
  const second = await createCompletedQuote(partner)
  const { totalCost: one } = await totalCost(partner, first.quoteId)
  const { totalCost: two } = await totalCost(partner, second.quoteId)
  const sold = [2, 2, 2, 2, 2, 2, 2, one + two]
  assert.deepEqual(await countsOf(partner), sold)
  succeeded(await partner.post(`/Customers/${second.lead}/cancel-contract`))
  assert.deepEqual(await countsOf(partner), sold)
  await join(partner, await replace(partner, first.lead, addDays(today, 90)))
  assert.deepEqual(await countsOf(partner), sold)
  succeeded(await partner.post(`/Sandbox/customers/${first.tenants[1]}/collect`, { outcome: 'failed' }))
  assert.deepEqual(await countsOf(partner), sold)
  await advanceClock(partner, { days: 50 })
  succeeded(await partner.post(`/Customers/${first.tenants[1]}/end-contract`, { endDate: addDays(today, 120) }))
  assert.deepEqual(await countsOf(partner), sold)
})

test('erasure and retention take nothing out of a day', async () => {
  const partner = await connectNewPartner(service)
  const abandoned = await createActiveQuote(partner)
  const ended = await createCompletedQuote(partner)
  const before = await countsOf(partner)
  assert.deepEqual(before.slice(0, 7), [2, 2, 2, 2, 1, 1, 1])
  await rawRows(
    service,
    `update quotes set locked_until = null, stage = 'open', expires_at = now() - interval '200 days'
     where quote_id = $1`,
    [abandoned.quoteId],
  )
  await rawRows(
    service,
    `update contracts set status = 'ended', starts_on = '2019-01-01', ends_on = '2019-06-30', ended_on = '2019-06-30' where quote_id = $1`,
    [ended.quoteId],
  )
  await withDatabaseKeys(service, async (opened) => {
    const deps = { ...opened, clock: systemClock }
    const run = { batch: 10, isStopping: () => false }
    assert.equal(await removeAbandonedQuotes(deps, { ...run, days: 90 }), 1)
    assert.equal(await removeEndedContracts(deps, run), 1)
  })
  const [contract] = await rawRows(service, 'select price from contracts where quote_id = $1', [ended.quoteId])
  assert.equal(contract?.price, null, 'the records of the contract are gone')
  assert.deepEqual(await countsOf(partner), before)
})

test('a day begins and ends at midnight in London, in summer and when the clocks change', async () => {
  const partner = await connectNewPartner(service)
  const created = {
    '2026-06-30T22:59:59.999Z': '2026-06-30',
    '2026-06-30T23:00:00Z': '2026-07-01',
    '2026-10-24T23:00:00Z': '2026-10-25',
    '2026-10-25T23:59:59.999Z': '2026-10-25',
    '2026-10-26T00:00:00Z': '2026-10-26',
    '2026-03-29T00:30:00Z': '2026-03-29',
    '2026-03-29T22:59:59.999Z': '2026-03-29',
    '2026-03-29T23:00:00Z': '2026-03-30',
  }
  for (const at of Object.keys(created)) {
    const { quoteId } = await createQuote(partner)
    await rawRows(service, 'update quotes set created_at = $2 where quote_id = $1', [quoteId, at])
  }
  const partnerId = await partnerIdOf(partner)
  const { data } = await read(`&partnerId=${partnerId}&from=2026-03-01&to=2026-10-31`)
  const expected = Map.groupBy(Object.values(created), (date) => date)
  assert.deepEqual(
    data.map(({ date, quotes }) => [date, quotes]),
    [...expected].map(([date, quotes]) => [date, quotes.length]).sort(),
  )
})

test('two partners are two entries of a day, filters choose among them, and pages follow each other', async () => {
  const [first, second] = [await connectNewPartner(service), await connectNewPartner(service)]
  await createQuote(first)
  await createQuote(second)
  const old = await createQuote(second)
  const day = addDays(today, -29)
  await rawRows(service, `update quotes set created_at = $2::date + time '12:00' where quote_id = $1`, [
    old.quoteId,
    day,
  ])
  const ids = [await partnerIdOf(first), await partnerIdOf(second)]
  const own = ({ data }: Funnel) => data.filter(({ partnerId }) => ids.includes(partnerId))
  const all = await read()
  assert.deepEqual([all.from, all.to], [day, today], 'the last 30 days')
  assert.deepEqual(
    own(all).map(({ date, partnerId, quotes }) => [date, partnerId, quotes]),
    [[day, ids[1], 1], ...ids.toSorted().map((partnerId) => [today, partnerId, 1])],
  )
  assert.deepEqual(
    own(await read(`&to=${day}`)).map(({ date }) => date),
    [day],
  )
  assert.deepEqual(
    own(await read(`&from=${addDays(day, 1)}`)).map(({ date }) => date),
    [today, today],
  )
  assert.deepEqual(
    (await read(`&partnerId=${ids[0]}`)).data.map(({ partnerId }) => partnerId),
    [ids[0]],
  )
  assert.deepEqual(await readPages(operator, '/Reports/funnel?limit=1'), all.data)
})

test('every count equals the same count made of the rows of the tables, one quote at a time', async () => {
  const naive = await countNaively(service)
  const counted: unknown[] = []
  for (const from of [addDays(today, -365), addDays(today, 1)]) {
    const { data } = await read(`&from=${from}&to=${addDays(from, 365)}`)
    counted.push(...data.map(({ partnerName: _, ...counts }) => counts))
  }
  assert.deepEqual(counted, naive)
  assert.ok(naive.some(({ inForce }) => inForce > 0))
})

test('a file has the lines of the report, a name is no formula, and says when it was counted', async () => {
  const partner = await connectNewPartner(service)
  await createCompletedQuote(partner)
  const partnerId = await partnerIdOf(partner)
  const name = '=HYPERLINK("https://example.com"),x'
  await rawRows(service, 'update partners set name = $2 where partner_id = $1', [partnerId, name])
  const { data, asOf } = await read()
  const path = '/Reports/funnel/export'
  const [csv, json] = [await operator.get(path), await operator.get(`${path}?format=json`)]
  for (const { headers } of [csv, json]) assert.ok(String(headers.get('housebill-as-of')) >= asOf)
  assert.deepEqual(succeeded(json), data)
  const [head = '', ...lines] = csv.text.trimEnd().split('\r\n')
  assert.equal(head, funnelColumns.join(','))
  const quoted = `"'=HYPERLINK(""https://example.com""),x"`
  const cells = (day: Day) =>
    Object.values({ ...day, partnerName: day.partnerId === partnerId ? quoted : day.partnerName })
  assert.deepEqual(
    lines,
    data.map((day) => cells(day).join(',')),
  )
  assert.equal(lines.filter((line) => line.includes(quoted)).length, 1)
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  const { text } = await operator.get(`${path}?partnerId=${partnerId}&to=${addDays(today, -1)}`)
  assert.equal(text, `${head}\r\n`, 'a file without lines has its columns')
})

test('a wrong request is 422 and names the field', async () => {
  const partnerId = 'partner_01h455vb4pex5vsknk084sn02q'
  for (const path of ['/Reports/funnel', '/Reports/funnel/export']) {
    const wrong: Record<string, string> = {
      'from=2026-02-01&to=2026-01-31': '/query/from',
      'from=2025-01-31&to=2026-02-01': '/query/from',
      [`partnerId=${partnerId}`]: '/query/partnerId',
    }
    for (const [query, pointer] of Object.entries(wrong)) {
      const problem = (await operator.get(`${path}?${query}`)).body as Problem
      assert.deepEqual(
        invalidFields(problem).map(([field]) => field),
        [pointer],
        query,
      )
    }
    assert.equal((await operator.get(`${path}?from=2025-02-01&to=2026-02-01`)).status, 200, '366 days')
  }
  rejected(await operator.get('/Reports/funnel?cursor=abc'), 422, 'validation_failed')
})

test('a partner reads for each week and branch how far its own quotes got, and what took effect', async () => {
  const partner = await connectNewPartner(service)
  const sales = async (query = '') => succeeded(await partner.get(`/Reports/sales?${query}`)).data
  assert.deepEqual(await sales(), [])
  await createQuote(partner)
  const invited = await createQuote(partner)
  const [customer = ''] = await addTenants(partner, invited.quoteId, sampleTenants(1))
  succeeded(await partner.post(`/Customers/${customer}/onboarding-links`))
  const opened = await createActiveQuote(partner)
  await rawRows(service, 'update customers set pages_opened_at = now() where quote_id = $1', [opened.quoteId])
  const [sold, over] = [await createCompletedQuote(partner, { tenants: 2 }), await createCompletedQuote(partner)]
  const end = `update contracts set status = 'ended', ended_on = ends_on, end_reason = 'term_over' where quote_id = $1`
  await rawRows(service, end, [over.quoteId])
  for (const { quoteId } of [sold, over])
    succeeded(await partner.patch(`/Quotes/${quoteId}`, { branch: 'York', soldBy: 'Kim' }))
  // As if the last one had been quoted before the period, and sold in it.
  await rawRows(service, "update quotes set created_at = created_at - interval '400 days' where quote_id = $1", [
    over.quoteId,
  ])
  const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7))
  const none = { week: monday, branch: null, quoted: 3, invited: 2, opened: 1, signed: 0, inForce: 0, ended: 0 }
  const york = { week: monday, branch: 'York', quoted: 1, invited: 1, opened: 1, signed: 1, inForce: 1, ended: 0 }
  const soldAtYork = { ...york, households: 2, contracts: 3 }
  assert.deepEqual(await sales(), [{ ...none, households: 0, contracts: 0 }, soldAtYork])
  for (const query of ['branch=York', 'soldBy=Kim', `branch=York&soldBy=Kim&from=${monday}`])
    assert.deepEqual(await sales(query), [soldAtYork])
  assert.deepEqual(await sales('soldBy=Sam'), [])
  const longAgo = await sales(`from=${addDays(today, -401)}&to=${addDays(today, -399)}`)
  assert.deepEqual(
    longAgo.map(({ quoted, ended, contracts }) => [quoted, ended, contracts]),
    [[1, 1, 0]],
  )
  rejected(await partner.get(`/Reports/sales?from=${addDays(today, -400)}`), 422, 'validation_failed')
})
