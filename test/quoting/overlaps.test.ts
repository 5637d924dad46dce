import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/platform/kernel/ids.ts'
import { insertMissingProperties } from '../../src/properties/properties.store.ts'
import type { Partner } from '../support/client.ts'
import { type HouseholdOptions, startHousehold } from '../support/household.ts'
import { connectNewPartner, withDatabase } from '../support/partners.ts'
import {
  advanceClock,
  createActiveQuote,
  createCancelledQuote,
  createCompletedQuote,
  createLeadOnboardedQuote,
  expire,
  getQuote,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

// Today is 1 December 2026.
const service = await shareTestService({}, { startAt: testTime })
const first = { contractStartDate: '2027-02-01', contractEndDate: '2027-07-31' }

/** The other quotes that GET /Quotes/{id} names in its warnings. */
async function named(partner: Partner, quoteId: string): Promise<string[]> {
  const { warnings, warningDetails } = await getQuote(partner, quoteId)
  const overlaps = warningDetails.filter(({ code }) => code === 'property_already_covered')
  assert.equal(warnings.includes('property_already_covered'), overlaps.length > 0)
  return overlaps.map(({ quoteId: other }) => other ?? '')
}

/** The other quotes that a new quote of the same property names. */
async function namedByNew(partner: Partner, options: HouseholdOptions = first): Promise<string[]> {
  return named(partner, (await startHousehold(partner, { tenants: 1, ...options })).quoteId)
}

test("a quote for a property that another of the partner's quotes covers has a warning in every response about its cost", async () => {
  const own = await connectNewPartner(service)
  const earlier = await createCompletedQuote(own, first)
  const { quoteId, lead } = await startHousehold(own, { ...first, tenants: 1 })
  const shown = [
    await getQuote(own, quoteId),
    await totalCost(own, quoteId),
    succeeded(await own.get(`/Quotes/${quoteId}/estimate?tenants=2`)),
    succeeded(await own.get(`/Customers/${lead}/total-cost`)),
  ]
  for (const { warnings, warningDetails } of shown) {
    assert.deepEqual(warnings, ['property_already_covered'])
    assert.deepEqual(
      warningDetails.map(({ detail: _, ...rest }) => rest),
      [
        {
          code: 'property_already_covered',
          packageId: null,
          replacementId: null,
          date: null,
          quoteId: earlier.quoteId,
        },
      ],
    )
    assert.ok(warningDetails[0]?.detail.includes(earlier.quoteId))
  }
})

test('a property that has the MPAN or MPRN of another counts as that one, for the service of the meter point', async () => {
  const own = await connectNewPartner(service)
  const earlier = await createCompletedQuote(own, first)
  const { mpan, mprn } = ordinaryProperty()
  const twins = [
    { ...ordinaryProperty(), addressUid: newId('address'), uprn: '123450000001', postcode: 'NR4 7ZZ', mprn: null },
    { ...ordinaryProperty(), addressUid: newId('address'), uprn: '123450000002', postcode: 'NR4 7ZZ', mpan: null },
  ]
  assert.equal(await withDatabase(service, (db) => insertMissingProperties(db, twins)), 2)
  assert.ok(mpan !== null && mprn !== null)
  const [electric = '', gas = ''] = twins.map(({ addressUid }) => addressUid)
  assert.deepEqual(await namedByNew(own, { ...first, addressUid: electric, packages: ['electricity'] }), [
    earlier.quoteId,
  ])
  assert.deepEqual(await namedByNew(own, { ...first, addressUid: gas, packages: ['gas'] }), [earlier.quoteId])
  assert.deepEqual(await namedByNew(own, { ...first, addressUid: gas, packages: [] }), [])
})

test('the warning prevents nothing: the second household can be onboarded too, and its completed quote no longer warns', async () => {
  const own = await connectNewPartner(service)
  const earlier = await createCompletedQuote(own, first)
  const { quoteId } = await createActiveQuote(own, { ...first, tenants: 1 })
  assert.deepEqual(await named(own, quoteId), [earlier.quoteId])
  const later = await createCompletedQuote(own, first)
  assert.equal((await getQuote(own, later.quoteId)).status, 'completed')
  assert.deepEqual(await named(own, later.quoteId), [])
})

test("another partner's quotes never cause a warning", async () => {
  const [own, other] = [await connectNewPartner(service), await connectNewPartner(service)]
  await createCompletedQuote(other, first)
  await createActiveQuote(other, first)
  assert.deepEqual(await namedByNew(own), [])
})

test('only locked and completed quotes count, and quotes of other properties never do', async () => {
  const own = await connectNewPartner(service)
  await startHousehold(own, first)
  await createCancelledQuote(own, first)
  await createCompletedQuote(own, { ...first, addressUid: ordinaryProperty(1).addressUid })
  const reopened = await createLeadOnboardedQuote(own, first)
  assert.deepEqual(await namedByNew(own), [reopened.quoteId])
  succeeded(await own.post(`/Quotes/${reopened.quoteId}/reopen`))
  assert.deepEqual(await namedByNew(own), [])
  assert.deepEqual(await named(own, reopened.quoteId), [])
})

test('a quote counts from its first to its last day: one that starts the day after, or ends the day before, does not overlap', async () => {
  const own = await connectNewPartner(service)
  const { quoteId } = await createCompletedQuote(own, first)
  const cases: [start: string, end: string, overlaps: boolean][] = [
    ['2027-08-01', '2028-01-31', false],
    ['2027-07-31', '2028-01-31', true],
    ['2027-01-01', '2027-01-31', false],
    ['2027-01-01', '2027-02-01', true],
    ['2027-03-01', '2027-04-30', true],
    ['2027-01-01', '2027-12-31', true],
  ]
  for (const [contractStartDate, contractEndDate, overlaps] of cases)
    assert.deepEqual(await namedByNew(own, { contractStartDate, contractEndDate }), overlaps ? [quoteId] : [])
})

test('quotes that share no service do not overlap', async () => {
  const own = await connectNewPartner(service)
  const broadband = { ...first, packages: ['broadband'], products: ['fibre-150'] } as const
  const { quoteId } = await createCompletedQuote(own, broadband)
  assert.deepEqual(await namedByNew(own), [])
  assert.deepEqual(await namedByNew(own, broadband), [quoteId])
  assert.deepEqual(await namedByNew(own, { ...first, packages: [] }), [])
  assert.deepEqual(await namedByNew(own, { ...broadband, packages: ['electricity', 'broadband'] }), [quoteId])
})

test('a completed quote counts while one of its contracts is not cancelled, and a contract that ends early until its last day', async () => {
  const own = await connectNewPartner(service)
  const cancel = async (customerId: string) => succeeded(await own.post(`/Customers/${customerId}/cancel-contract`))
  const { quoteId, tenants } = await createCompletedQuote(own, { ...first, tenants: 2 })
  const [lead = '', second = ''] = tenants
  await cancel(lead)
  assert.deepEqual(await namedByNew(own), [quoteId])
  succeeded(await own.post(`/Customers/${second}/end-contract`, { endDate: '2027-03-31' }))
  assert.deepEqual(await namedByNew(own, { contractStartDate: '2027-03-31' }), [quoteId])
  assert.deepEqual(await namedByNew(own, { contractStartDate: '2027-04-01' }), [])
})

test('a household whose contracts were all cancelled, or ended before their first day, covers nothing', async () => {
  const own = await connectNewPartner(service)
  const cancelled = await createCompletedQuote(own, first)
  succeeded(await own.post(`/Customers/${cancelled.lead}/cancel-contract`))
  const ended = await createCompletedQuote(own, first)
  succeeded(await own.post(`/Customers/${ended.lead}/end-contract`, { endDate: '2027-01-15' }))
  assert.deepEqual(await namedByNew(own), [])
  assert.deepEqual(await namedByNew(own, { contractStartDate: '2026-12-20', contractEndDate: '2027-12-31' }), [])
})

test('repricing looks at the new dates', async () => {
  const own = await connectNewPartner(service)
  const before = { contractStartDate: '2026-12-20', contractEndDate: '2027-01-31' }
  const { quoteId } = await createCompletedQuote(own, first)
  const { quoteId: moved } = await startHousehold(own, { tenants: 1 })
  const { contractEndDate } = await getQuote(own, moved)
  assert.ok(contractEndDate > first.contractEndDate)
  assert.deepEqual(await namedByNew(own, before), [])
  await expire(own, moved)
  await advanceClock(own, { days: 170 })
  const cost = await totalCost(own, moved)
  assert.deepEqual([cost.QuotePricesUpdated, cost.warnings], [true, ['property_already_covered']])
  await expire(own, moved)
  await advanceClock(own, { days: 40 })
  const later = await totalCost(own, moved)
  assert.equal(later.QuotePricesUpdated, true)
  assert.ok(later.contractStartDate > first.contractEndDate)
  assert.deepEqual(later.warnings, [])
  assert.deepEqual(await named(own, moved), [])
  assert.notEqual(quoteId, moved)
})

test('at most five other quotes are named', async () => {
  const own = await connectNewPartner(service)
  for (let count = 0; count < 6; count++) await createActiveQuote(own, { ...first, tenants: 1 })
  const others = await namedByNew(own)
  assert.equal(new Set(others).size, 5)
})
