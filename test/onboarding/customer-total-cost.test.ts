import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addBroadband, addTenants, onboard, startHousehold } from '../support/household.ts'
import { createQuote, expire, testTime, totalCost } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const read = async (customerId: string) => succeeded(await partner.get(`/Customers/${customerId}/total-cost`))
const everything = {
  packages: ['electricity', 'gas', 'broadband'],
  products: ['fibre-150', 'wifi-whole-home'],
} as const
/** The amounts that are split between tenants. Net amounts are calculated from them. */
const dealt = ['weeklyCost', 'monthlyCost', 'yearlyCost', 'totalCost', 'setupCost', 'totalVat', 'setupVat'] as const
const figures = [...dealt, 'totalNet', 'setupNet'] as const

test("a customer's total-cost returns packages_required while the quote has no packages", async () => {
  const { quoteId } = await createQuote(partner)
  const [tenantId = ''] = await addTenants(partner, quoteId, [{ name: 'Ada', email: 'ada@example.com' }])
  const problem = rejected(await partner.get(`/Customers/${tenantId}/total-cost`), 422, 'packages_required')
  assert.match(problem.detail, /add-packages/)
})

test("a customer's cost equals their entry in the quote's cost and the sum of their lines", async () => {
  const { quoteId, tenants } = await startHousehold(partner, { ...everything, tenants: 7 })
  const whole = await totalCost(partner, quoteId)
  for (const [index, tenantId] of tenants.entries()) {
    const own = await read(tenantId)
    const element = whole.costBreakdown[index]
    assert.equal(own.customerId, tenantId)
    assert.equal(element?.tenantId, tenantId)
    for (const figure of figures) {
      const ofLines = own.packages.reduce((sum, line) => sum + line[figure], 0)
      assert.equal(own[figure], element[figure], figure)
      assert.equal(own[figure], ofLines, figure)
      assert.ok(Number.isInteger(own[figure]))
    }
    assert.deepEqual(
      own.packages.flatMap(({ lines }) => lines.map(({ name }) => name)),
      element.products,
    )
  }
})

test("the customers' costs differ by at most a penny, and the lead tenant pays the first odd penny", async () => {
  const { quoteId, tenants } = await startHousehold(partner, { ...everything, tenants: 7 })
  const whole = await totalCost(partner, quoteId)
  const owns = await Promise.all(tenants.map(read))
  for (const figure of dealt) {
    const shares = owns.map((own) => own[figure])
    const spare = whole[figure] % 7
    const base = Math.floor(whole[figure] / 7)
    assert.deepEqual(
      shares,
      shares.map((_, index) => (index < spare ? base + 1 : base)),
      figure,
    )
    for (const parts of [
      owns.map((own) => own.packages),
      owns.map((own) => own.packages.flatMap(({ lines }) => lines)),
    ]) {
      for (const index of parts[0]?.keys() ?? []) {
        const ofPart = parts.map((part) => part[index]?.[figure] ?? Number.NaN)
        assert.ok(Math.max(...ofPart) - Math.min(...ofPart) <= 1, figure)
      }
    }
  }
  assert.ok(
    dealt.some((figure) => whole[figure] % 7 > 0),
    'the example has odd pence to split',
  )
})

test("a customer's cost has one element per package, whose figures are the sums of the lines inside it", async () => {
  const { lead } = await startHousehold(partner, { ...everything, tenants: 3 })
  const { packages } = await read(lead)
  assert.deepEqual(
    packages.map(({ packageId, productId, name }) => [packageId, productId, name]),
    [
      ['electricity-standard', null, 'Standard electricity'],
      ['gas-standard', null, 'Standard gas'],
      ['broadband-standard', 'fibre-150', 'Home broadband'],
    ],
  )
  for (const { lines, ...each } of packages) {
    for (const figure of figures)
      assert.equal(
        lines.reduce((sum, line) => sum + line[figure], 0),
        each[figure],
      )
    for (const { packageId, type, startDate, endDate, vatRates, setupVatRate } of lines) {
      assert.deepEqual(
        { packageId, type, startDate, endDate, vatRates, setupVatRate },
        {
          packageId: each.packageId,
          type: each.type,
          startDate: each.startDate,
          endDate: each.endDate,
          vatRates: each.vatRates,
          setupVatRate: each.setupVatRate,
        },
      )
    }
  }
  assert.deepEqual(
    packages[2]?.lines.map(({ productId, name }) => [productId, name]),
    [
      ['fibre-150', 'Home Broadband 150'],
      ['wifi-whole-home', 'Whole Home Wi-Fi'],
    ],
  )
})

test("a customer's total-cost has no line and a warning if broadband has no product yet", async () => {
  const household = await startHousehold(partner, { packages: ['electricity', 'broadband'], tenants: 1 })
  const before = await read(household.lead)
  assert.deepEqual(before.warnings, ['broadband_not_included'])
  assert.deepEqual(
    before.packages.map(({ type }) => type),
    ['electricity'],
  )
  await addBroadband(partner, household.quoteId, ['fibre-150'])
  const after = await read(household.lead)
  assert.deepEqual(after.warnings, [])
  assert.equal(after.monthlyCost, before.monthlyCost + 2_900)
})

test("a customer's total-cost shows the last prices and renews nothing if the quote has expired", async () => {
  const { quoteId, lead } = await startHousehold(partner)
  const before = await read(lead)
  await expire(partner, quoteId)
  const { expiresAt } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  const { warnings, warningDetails, ...after } = await read(lead)
  assert.deepEqual({ ...after, warnings: [], warningDetails: [] }, before)
  assert.deepEqual([warnings, warningDetails.length], [['quote_expired'], 1])
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).expiresAt, expiresAt)
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, true)
})

test("a customer's total-cost can still be read if the quote was cancelled or is completed", async () => {
  const cancelled = await startHousehold(partner)
  succeeded(await partner.post(`/Quotes/${cancelled.quoteId}/cancel`))
  assert.ok((await read(cancelled.lead)).totalCost > 0)
  const { lead } = await startHousehold(partner, { tenants: 1 })
  const before = await read(lead)
  await onboard(partner, lead)
  assert.deepEqual(await read(lead), before)
})
