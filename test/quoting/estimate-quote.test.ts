import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addTenants, finalise, sampleTenants, startHousehold } from '../support/household.ts'
import {
  advanceClock,
  createActiveQuote,
  createCompletedQuote,
  createExpiredQuote,
  createQuote,
  getQuote,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import type { Reply } from '../support/response-types.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryProperty()

test('POST /Quotes with packages returns the packages it selected and what they cost, as the quote shows them later', async () => {
  const body = { addressUid, packages: ['electricity', 'gas'], bedrooms: 3, reference: 'viewing 7' }
  const created = succeeded(await partner.post('/Quotes', body))
  assert.deepEqual(
    created.selectedPackages.map(({ type, status }) => [type, status]),
    [
      ['electricity', 'selected'],
      ['gas', 'selected'],
    ],
  )
  assert.deepEqual([created.status, created.bedrooms, created.reference], ['draft', 3, 'viewing 7'])
  const { quoteId, cost } = created
  assert.ok(cost !== null && cost.totalCost > cost.monthlyCost && cost.monthlyCost > 0)
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).cost, cost)
  const tenants = [{ name: 'Robin Example', email: 'robin@example.com' }]
  const added = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants }))
  const total = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  assert.deepEqual([added.cost?.totalCost, added.cost?.setupCost], [total.totalCost, total.setupCost])
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).cost, added.cost)
})

test('a step warns that broadband without a line is not included', async () => {
  const { warnings } = succeeded(await partner.post('/Quotes', { addressUid, packages: ['electricity', 'broadband'] }))
  assert.deepEqual(warnings, ['broadband_not_included'])
})

test('a start within the cancellation period warns until every tenant has asked for it, and accept-terms would reject', async () => {
  const { quoteId, tenants } = await startHousehold(partner, { contractStartDate: '2026-12-10', tenants: 2 })
  const warnings = async () => succeeded(await partner.get(`/Quotes/${quoteId}`)).warnings
  assert.deepEqual(await warnings(), ['supply_request_required'])
  const [lead = '', second = ''] = tenants
  const asks = { supplyDuringCancellation: true }
  succeeded(await finalise(partner, lead, asks))
  assert.deepEqual(await warnings(), ['supply_request_required'])
  succeeded(await finalise(partner, second, asks))
  assert.deepEqual(await warnings(), [])
})

test('an expired quote warns until total-cost has renewed its prices, and calls reject meanwhile', async () => {
  const { quoteId } = await startHousehold(partner, { tenants: 1 })
  await advanceClock(partner, { days: 15 })
  const own = await connectPartner(service.baseUrl, service.credentials)
  const expired = succeeded(await own.get(`/Quotes/${quoteId}`))
  assert.deepEqual(expired.warnings, ['quote_expired'])
  assert.match(expired.warningDetails[0]?.detail ?? '', /total-cost/)
  rejected(await own.post(`/Quotes/${quoteId}/add-packages`, { packageIds: ['gas-standard'] }), 422, 'quote_expired')
  succeeded(await own.get(`/Quotes/${quoteId}/total-cost`))
  assert.deepEqual(succeeded(await own.get(`/Quotes/${quoteId}`)).warnings, [])
})

const packages = ['electricity', 'gas'] as const

type Cost = Reply<'GET', '/Quotes/{id}/estimate'>

const ask = (quoteId: string, query = '') => partner.get(`/Quotes/${quoteId}/estimate${query}`)
const read = async (quoteId: string, query = '') => succeeded(await ask(quoteId, query)) as Cost
const estimate = (quoteId: string, tenants: number) => read(quoteId, `?tenants=${tenants}`)

const figures = ['weeklyCost', 'monthlyCost', 'yearlyCost', 'totalCost', 'totalVat', 'setupCost', 'setupVat'] as const

/** Asserts that the shares of the estimate are equal to the penny and add up to the household's figures. */
function assertEqualShares(cost: Cost, tenants: number): void {
  assert.equal(cost.numberOfTenants, tenants)
  assert.equal(cost.shares.length, tenants)
  for (const figure of figures) {
    const shares = cost.shares.map((share) => share[figure])
    assert.equal(
      shares.reduce((sum, share) => sum + share, 0),
      cost[figure],
      figure,
    )
    assert.ok(Math.max(...shares) - Math.min(...shares) <= 1, figure)
  }
}

test('before any tenant is known, estimate shows the price and equal shares for 1 to 12 tenants', async () => {
  const { quoteId } = await createQuote(partner, { packages })
  const before = (await partner.get(`/Quotes/${quoteId}`)).text
  for (let tenants = 1; tenants <= 12; tenants += 1) {
    const cost = await estimate(quoteId, tenants)
    assertEqualShares(cost, tenants)
    assert.equal(cost.expired, false)
    assert.equal(cost.leadTenantId, null)
    assert.deepEqual(cost.warnings, [])
  }
  const [few, many] = [await estimate(quoteId, 1), await estimate(quoteId, 4)]
  assert.ok(few.monthlyCost < many.monthlyCost, 'more people are assumed to use more')
  assert.equal((await partner.get(`/Quotes/${quoteId}`)).text, before, 'nothing was stored')
})

test('an estimate is what total-cost shows once that many tenants have joined, with set-up in the total', async () => {
  const { quoteId } = await startHousehold(partner, { tenants: 1, products: ['fibre-150'] })
  const estimated = await estimate(quoteId, 3)
  assert.equal(estimated.setupCost, 1_000)
  const lines = estimated.lines.reduce((sum, line) => sum + line.totalCost, 0)
  assert.equal(lines, estimated.totalCost)
  await addTenants(partner, quoteId, sampleTenants(2, 2))
  const agreed = await totalCost(partner, quoteId)
  assert.deepEqual(estimated.lines, agreed.lines)
  for (const figure of figures) {
    assert.equal(estimated[figure], agreed[figure])
    assert.deepEqual(
      estimated.shares.map((share) => share[figure]),
      agreed.costBreakdown.map((share) => share[figure]),
    )
  }
})

test('without the parameter, estimate uses the present number of tenants; with it, that number is overridden', async () => {
  const { quoteId } = await startHousehold(partner, { tenants: 2 })
  const present = await read(quoteId)
  assertEqualShares(present, 2)
  assert.equal(present.totalCost, (await totalCost(partner, quoteId)).totalCost)
  assertEqualShares(await estimate(quoteId, 5), 5)
})

test('without tenants and without the parameter, estimate returns 400 and names the parameter', async () => {
  const { quoteId } = await createQuote(partner, { packages })
  assertProblem(await ask(quoteId), 'invalid_request', ['/query/tenants required'])
})

test('on an expired quote, estimate shows the old prices, says that they have expired and reprices nothing', async () => {
  const { quoteId } = await createExpiredQuote(partner, { tenants: 3 })
  const before = await getQuote(partner, quoteId)
  const cost = await estimate(quoteId, 3)
  assert.equal(cost.expired, true)
  assert.equal(cost.expiresAt, before.expiresAt)
  assert.deepEqual(await getQuote(partner, quoteId), before)
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, true, 'total-cost still reprices')
  assert.equal((await estimate(quoteId, 3)).expired, false)
})

test('a broadband package without a product is a warning, as in total-cost', async () => {
  const { quoteId } = await createQuote(partner, { packages: ['broadband'] })
  assert.deepEqual((await estimate(quoteId, 2)).warnings, ['broadband_products_required'])
})

test('a locked or completed quote can be estimated for any number of tenants on the agreed rate card', async () => {
  for (const create of [createActiveQuote, createCompletedQuote]) {
    const { quoteId } = await create(partner)
    const agreed = await totalCost(partner, quoteId)
    const own = await read(quoteId)
    assert.equal(own.totalCost, agreed.totalCost)
    assert.equal(own.expired, false)
    assertEqualShares(await estimate(quoteId, 4), 4)
  }
})
