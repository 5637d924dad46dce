import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addTenants, type HouseholdOptions, sampleTenants, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import {
  advanceClock,
  createActiveQuote,
  createCancelledQuote,
  createCompletedQuote,
  createQuote,
  getQuote,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty, specialProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

const figures = [
  'weeklyCost',
  'monthlyCost',
  'yearlyCost',
  'totalCost',
  'setupCost',
  'totalNet',
  'totalVat',
  'setupNet',
  'setupVat',
] as const
type Figures = Record<(typeof figures)[number], number>

const sum = (parts: readonly Figures[], figure: keyof Figures) => parts.reduce((total, part) => total + part[figure], 0)

/** The household's cost, after checking that lines, tenants and quote agree on every figure to the penny. */
async function consistentCost(options: HouseholdOptions) {
  const { quoteId, tenants: tenantIds } = await startHousehold(partner, { tenants: 3, ...options })
  const cost = await totalCost(partner, quoteId)
  assert.deepEqual(
    cost.costBreakdown.map(({ tenantId }) => tenantId),
    tenantIds,
  )
  for (const figure of figures) {
    assert.equal(sum(cost.lines, figure), cost[figure], `the lines' ${figure}`)
    assert.equal(sum(cost.costBreakdown, figure), cost[figure], `the tenants' ${figure}`)
    const shares = cost.costBreakdown.map((each: Figures) => each[figure])
    // Net is calculated from the split gross and VAT, so it can vary by two pence.
    const most = figure.endsWith('Net') ? 2 : 1
    assert.ok(Math.max(...shares) - Math.min(...shares) <= most, `${figure} of tenants: ${shares}`)
  }
  for (const part of [cost, ...cost.lines, ...cost.costBreakdown]) {
    assert.equal(part.totalNet + part.totalVat, part.totalCost)
    assert.equal(part.setupNet + part.setupVat, part.setupCost)
  }
  for (const element of cost.costBreakdown) {
    assert.deepEqual(
      element.products,
      cost.lines.map(({ name }) => name),
    )
    const own = succeeded(await partner.get(`/Customers/${element.tenantId}/total-cost`))
    for (const figure of figures) assert.equal(own[figure], element[figure], `the customer's own ${figure}`)
  }
  return cost
}

test('the worked example (a year from mid-January) costs 7,434 for electricity and 7,212 for gas a month, and 175,758 in total', async () => {
  const cost = await consistentCost({
    contractStartDate: '2027-01-15',
    contractEndDate: '2028-01-14',
    products: ['fibre-150'],
  })
  const [electricity, gas, broadband] = cost.lines
  assert.ok(electricity && gas && broadband)
  assert.deepEqual([electricity.monthlyCost, gas.monthlyCost, broadband.monthlyCost], [7_434, 7_212, 2_900])
  assert.equal(electricity.totalCost + gas.totalCost, 175_758)
  assert.equal(electricity.yearlyCost + gas.yearlyCost, 175_758)
  assert.equal(electricity.weeklyCost + gas.weeklyCost, 4_072 - Math.round(36_000 / 52))
  assert.deepEqual([cost.monthlyCost, cost.setupCost], [17_546, 1_000])
  // Split three ways, 2,900 leaves two odd pence; 7,434 and 7,212 leave none.
  assert.deepEqual(
    cost.costBreakdown.map(({ monthlyCost }: Figures) => monthlyCost),
    [5_849, 5_849, 5_848],
  )
  assert.deepEqual(
    cost.costBreakdown.map(({ tenantName, setupCost }) => [tenantName, setupCost]),
    [
      ['Robin Example1', 334],
      ['Robin Example2', 333],
      ['Robin Example3', 333],
    ],
  )
})

test('total-cost returns the quote, the warnings and, even if nothing changed, QuotePricesUpdated', async () => {
  const { quoteId } = await startHousehold(partner, { reference: 'mine' })
  const cost = await totalCost(partner, quoteId)
  const quote = await getQuote(partner, quoteId)
  for (const field of [
    'quoteId',
    'status',
    'expiresAt',
    'createdAt',
    'quotingToolVersionId',
    'contractStartDate',
    'contractEndDate',
    'leadTenantId',
    'reference',
  ] as const) {
    assert.equal(cost[field], quote[field], field)
  }
  assert.equal(cost.QuotePricesUpdated, false)
  assert.deepEqual(cost.warnings, [])
})

test('each line shows its dates, and VAT rates by date: electricity 0 % until March 2027, gas 5 %, broadband and fees 20 %', async () => {
  const { lines, contractStartDate, contractEndDate } = await consistentCost({ products: ['fibre-67'], tenants: 1 })
  const [electricity, gas, broadband] = lines
  assert.ok(electricity && gas && broadband)
  assert.deepEqual(electricity.vatRates, [
    { rate: 0, from: '2027-01-13', to: '2027-03-31' },
    { rate: 0.05, from: '2027-04-01', to: '2028-01-12' },
  ])
  assert.deepEqual(gas.vatRates, [{ rate: 0.05, from: '2027-01-13', to: '2028-01-12' }])
  assert.deepEqual(broadband.vatRates, [{ rate: 0.2, from: broadband.startDate, to: '2028-01-12' }])
  assert.deepEqual(
    [electricity, gas].map(({ startDate, endDate }) => [startDate, endDate]),
    [
      [contractStartDate, contractEndDate],
      [contractStartDate, contractEndDate],
    ],
  )
  assert.equal(broadband.setupVatRate, 0.2)
  assert.deepEqual([broadband.setupCost, broadband.setupVat, broadband.setupNet], [1_000, 167, 833])
})

describe('regional rates', () => {
  const month = async (addressUid: string) => {
    const quotingToolVersionId = 'price-cap-2026-q3-regional'
    const { quoteId } = await startHousehold(partner, { addressUid, quotingToolVersionId })
    return (await totalCost(partner, quoteId)).monthlyCost
  }
  // In the list of sample postcodes, Newcastle (MPANs starting with 15) is the 17th and Edinburgh (starting with 18)
  // the 27th.
  const northEast = ordinaryProperty(16 * 15)
  const southScotland = ordinaryProperty(26 * 15)

  test("the region comes from the meter, or from the postcode if there is no meter or the meter's network is independent", async () => {
    assert.equal(northEast.mpan?.slice(0, 2), '15')
    assert.equal(southScotland.mpan?.slice(0, 2), '18')
    const expected = await month(northEast.addressUid)
    const scottish = await month(southScotland.addressUid)
    assert.notEqual(scottish, expected)
    assert.equal(await month(specialProperty('idno-meter').addressUid), expected)
    assert.equal(await month(specialProperty('scotland').addressUid), scottish)
  })
})

test('changing an open quote keeps its quotingToolVersionId, and QuotePricesUpdated stays false', async () => {
  const { quoteId, quotingToolVersionId } = await createQuote(partner, { packages: ['gas'] })
  await addTenants(partner, quoteId, sampleTenants(1))
  const post = async (operation: string, body: unknown) => {
    succeeded(await partner.post(`/Quotes/${quoteId}/${operation}`, body))
    const cost = await totalCost(partner, quoteId)
    assert.equal(cost.QuotePricesUpdated, false)
    assert.equal(cost.quotingToolVersionId, quotingToolVersionId)
    return cost.totalCost
  }
  const gas = (await totalCost(partner, quoteId)).totalCost
  const both = await post('add-packages', { packageIds: ['electricity-standard'] })
  const four = await post('add-tenants', { tenants: sampleTenants(3, 2) })
  assert.ok(gas < both && both < four)
  assert.equal(await post('update-packages', { packageIds: ['electricity-standard', 'gas-standard'] }), four)
  assert.ok((await post('update-packages', { packageIds: ['gas-standard'] })) < four)
})

test('the figures of an active quote do not change while its lock lasts, those of a completed or cancelled quote never', async () => {
  const own = await connectNewPartner(service)
  const quotes = await Promise.all([createActiveQuote(own), createCompletedQuote(own), createCancelledQuote(own)])
  const read = () => Promise.all(quotes.map(({ quoteId }) => totalCost(own, quoteId)))
  const agreed = await read()
  await advanceClock(own, { days: 13.9 })
  assert.deepEqual(await read(), agreed)
  await advanceClock(own, { days: 200 })
  const [, ...later] = await read()
  assert.deepEqual(later, agreed.slice(1))
  assert.ok(later.every(({ QuotePricesUpdated }) => QuotePricesUpdated === false))
})
