import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addBroadband, attachCard, finalise, startHousehold } from '../support/household.ts'
import { getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

// Today is 1 December 2026: a contract starts on 13 January by default and lasts 12 months.
const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const dates = async (quoteId: string) => {
  const { contractStartDate, contractEndDate } = await getQuote(partner, quoteId)
  return [contractStartDate, contractEndDate]
}

test('the lead tenant can set both dates if the partner left them at their defaults; the quote is then priced again', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  assert.deepEqual(await dates(quoteId), ['2027-01-13', '2028-01-12'])
  const before = await totalCost(partner, quoteId)
  succeeded(await finalise(partner, lead, { contractStartDate: '2027-02-01', contractEndDate: '2027-07-31' }))
  assert.deepEqual(await dates(quoteId), ['2027-02-01', '2027-07-31'])
  const after = await totalCost(partner, quoteId)
  assert.ok(after.totalCost < before.totalCost * 0.6, 'six months cost only slightly more than half as much as twelve')
  const { priceUpdates } = await getQuote(partner, quoteId)
  assert.deepEqual(
    priceUpdates
      .slice(-1)
      .map(({ reason, oldMonthlyCost, newMonthlyCost }) => [reason, oldMonthlyCost, newMonthlyCost]),
    [['dates_changed', before.monthlyCost, after.monthlyCost]],
  )
})

test('a lead tenant who sends one date changes only that one, but a default end date follows the start', async () => {
  const startOnly = await startHousehold(partner)
  succeeded(await finalise(partner, startOnly.lead, { contractStartDate: '2027-01-31' }))
  assert.deepEqual(await dates(startOnly.quoteId), ['2027-01-31', '2028-01-30'])
  const endOnly = await startHousehold(partner)
  succeeded(await finalise(partner, endOnly.lead, { contractEndDate: '2027-06-30' }))
  assert.deepEqual(await dates(endOnly.quoteId), ['2027-01-13', '2027-06-30'])
})

test('the lead tenant can repeat a date that the partner set, but not change it, and can set the other date', async () => {
  const { quoteId, lead } = await startHousehold(partner, { contractStartDate: '2027-01-01' })
  const moved = await finalise(partner, lead, { contractStartDate: '2027-02-01' })
  assert.deepEqual(invalidFields(rejected(moved, 422, 'validation_failed')), [['/contractStartDate', 'not_allowed']])
  succeeded(await finalise(partner, lead, { contractStartDate: '2027-01-01', contractEndDate: '2027-05-31' }))
  assert.deepEqual(await dates(quoteId), ['2027-01-01', '2027-05-31'])
})

test("dates from a tenant other than the lead are rejected, even if they are the quote's dates", async () => {
  const { quoteId, tenants } = await startHousehold(partner)
  const [, second = ''] = tenants
  const [contractStartDate, contractEndDate] = await dates(quoteId)
  const response = await finalise(partner, second, { contractStartDate, contractEndDate })
  assert.deepEqual(invalidFields(rejected(response, 422, 'validation_failed')), [
    ['/contractEndDate', 'not_allowed'],
    ['/contractStartDate', 'not_allowed'],
  ])
  assert.equal(succeeded(await partner.get(`/Customers/${second}`)).status, 'active')
})

test('a removed lead tenant is replaced by the tenant who joined next', async () => {
  const { quoteId, tenants } = await startHousehold(partner)
  const [first = '', second = ''] = tenants
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [first] }))
  succeeded(await finalise(partner, second, { contractStartDate: '2027-03-01' }))
  assert.deepEqual(await dates(quoteId), ['2027-03-01', '2028-02-29'])
})

test('invalid or out-of-range dates from the lead tenant are rejected field by field and change nothing', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  const rejectedDates = async (start: string, end?: string) => {
    const response = await finalise(partner, lead, { contractStartDate: start, contractEndDate: end })
    return invalidFields(rejected(response, 422, 'validation_failed'))
  }
  const start = ['/contractStartDate', 'out_of_range']
  const end = ['/contractEndDate', 'out_of_range']
  assert.deepEqual(await rejectedDates('2026-12-01'), [start])
  assert.deepEqual(await rejectedDates('2027-12-02'), [start])
  assert.deepEqual(await rejectedDates('2027-01-31', '2027-02-26'), [end])
  assert.deepEqual(await rejectedDates('2027-01-01', '2029-01-01'), [end])
  assert.deepEqual(await rejectedDates('2026-11-30', '2026-12-01'), [end, start])
  assert.deepEqual(await rejectedDates('2027-02-30', 'soon'), [
    ['/contractEndDate', 'wrong_format'],
    ['/contractStartDate', 'wrong_format'],
  ])
  assert.deepEqual(await dates(quoteId), ['2027-01-13', '2028-01-12'])
  succeeded(await finalise(partner, lead, { contractStartDate: '2027-01-31', contractEndDate: '2027-02-27' }))
  succeeded(await finalise(partner, lead, { contractStartDate: '2026-12-02', contractEndDate: '2028-12-01' }))
  succeeded(await finalise(partner, lead, { contractStartDate: '2027-12-01', contractEndDate: '2028-11-30' }))
})

test("once payment setup has started, the lead tenant's dates return quote_locked unless they match the quote", async () => {
  const { quoteId, lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead))
  await attachCard(partner, lead)
  rejected(await finalise(partner, lead, { contractStartDate: '2027-01-15' }), 422, 'quote_locked')
  succeeded(await finalise(partner, lead, { contractStartDate: '2027-01-13', contractEndDate: '2028-01-12' }))
  assert.deepEqual(await dates(quoteId), ['2027-01-13', '2028-01-12'])
})

test('the quote expires earlier if the lead tenant moves the contract start to a date before the current expiry', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead, { contractStartDate: '2026-12-03' }))
  assert.equal((await getQuote(partner, quoteId)).expiresAt, '2026-12-02T23:59:59.999Z')
})

test('when the lead tenant moves the contract start, broadband starts on the first install date on or after it', async () => {
  const household = await startHousehold(partner, { packages: ['broadband'] })
  await addBroadband(partner, household.quoteId, ['fibre-150'])
  const { availableDates } = succeeded(await partner.get(`/Quotes/${household.quoteId}/get-bb-install-dates`))
  const wanted = availableDates[5]
  succeeded(await finalise(partner, household.lead, { contractStartDate: wanted }))
  const { services } = succeeded(await partner.get(`/Customers/${household.lead}`))
  assert.equal(services[0]?.startDate, wanted)
})
