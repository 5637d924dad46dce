import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addTenants, sampleTenants, startHousehold } from '../support/household.ts'
import {
  createActiveQuote,
  createCompletedQuote,
  createExpiredQuote,
  createQuote,
  getQuote,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import type { Reply } from '../support/response-types.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
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

test('a number of tenants that is not a whole number from 1 to 12 is rejected', async () => {
  const { quoteId } = await createQuote(partner, { packages })
  for (const number of ['0', '13', '-1', '1e3'])
    assertProblem(await ask(quoteId, `?tenants=${number}`), 'validation_failed', ['/query/tenants out_of_range'])
  for (const number of ['three', '2.5', '1&tenants=2'])
    assertProblem(await ask(quoteId, `?tenants=${number}`), 'invalid_request', ['/query/tenants wrong_type'])
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
