import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findCustomerCostMismatches, findQuoteCostMismatches, findScheduleMismatches } from './money-checks.ts'
import type { Cost } from './replies.ts'

const figures = ['weeklyCost', 'monthlyCost', 'yearlyCost', 'totalCost', 'setupCost'] as const
const anyCost = fc.record(
  Object.fromEntries(figures.map((figure) => [figure, fc.nat(5_000_000)])) as Record<keyof Cost, fc.Arbitrary<number>>,
)

function sumOf(costs: readonly Cost[]): Cost {
  const total = (figure: keyof Cost) => costs.reduce((sum, cost) => sum + cost[figure], 0)
  return Object.fromEntries(figures.map((figure) => [figure, total(figure)])) as Record<keyof Cost, number>
}

/** A quote with these lines, split equally; the first tenants pay any remaining pennies. */
function quoteOf(lines: readonly Cost[], tenants: number) {
  const total = sumOf(lines)
  const share = (index: number) =>
    Object.fromEntries(
      figures.map((figure) => [
        figure,
        Math.floor(total[figure] / tenants) + (index < total[figure] % tenants ? 1 : 0),
      ]),
    ) as Record<keyof Cost, number>
  return {
    ...total,
    QuotePricesUpdated: false,
    lines: lines.map((line) => ({ name: 'a product', ...line })),
    costBreakdown: Array.from({ length: tenants }, (_, index) => ({
      tenantId: `tenant_${index}`,
      tenantName: 'a tenant',
      ...share(index),
    })),
  }
}

const anyQuote = fc
  .tuple(fc.array(anyCost, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 12 }))
  .map(([lines, tenants]) => quoteOf(lines, tenants))

test('a fairly split quote passes, whatever its figures and number of tenants', () => {
  fc.assert(
    fc.property(anyQuote, (quote) => assert.deepEqual(findQuoteCostMismatches(quote, quote.costBreakdown.length), [])),
  )
})

test('an extra penny in any figure, whether of the quote, of a share or of a line, is reported', () => {
  fc.assert(
    fc.property(
      anyQuote,
      fc.constantFrom(...figures),
      fc.constantFrom('quote', 'share', 'line'),
      (quote, figure, where) => {
        const changed = where === 'quote' ? quote : where === 'share' ? quote.costBreakdown[0] : quote.lines[0]
        assert.ok(changed)
        changed[figure] += 1
        const mismatches = findQuoteCostMismatches(quote, quote.costBreakdown.length)
        assert.ok(mismatches.length > 0 && mismatches.every((words) => words.startsWith(`${figure}: `)))
      },
    ),
  )
})

test('a missing share is reported, and so is an unfair split, even if the shares add up', () => {
  const quote = quoteOf([{ weeklyCost: 10, monthlyCost: 20, yearlyCost: 30, totalCost: 40, setupCost: 0 }], 2)
  const [first, second] = quote.costBreakdown
  assert.ok(first !== undefined && second !== undefined)
  first.totalCost += 1
  second.totalCost -= 1
  assert.deepEqual(findQuoteCostMismatches(quote, 2), ['totalCost: two shares differ by £0.02'])
  first.totalCost -= 1
  second.totalCost += 1
  assert.deepEqual(findQuoteCostMismatches(quote, 3), ['costBreakdown has 2 shares for 3 tenants'])
})

test("a customer's figures that differ from the breakdown or the packages are reported", () => {
  const element = { weeklyCost: 100, monthlyCost: 400, yearlyCost: 4_800, totalCost: 4_900, setupCost: 100 }
  const own = { customerId: 'tenant_1', ...element, packages: [{ name: 'all of it', ...element }] }
  assert.deepEqual(findCustomerCostMismatches(own, element), [])
  assert.deepEqual(findCustomerCostMismatches({ ...own, totalCost: 4_901 }, element), [
    "totalCost: the customer pays £49.01, the quote's breakdown £49.00",
    'totalCost: the packages sum to £49.00, the customer pays £49.01',
  ])
})

test('a payment schedule is reported if its amounts or dates are wrong', () => {
  const own = { weeklyCost: 100, monthlyCost: 400, yearlyCost: 4_800, totalCost: 900, setupCost: 100 }
  const payments = [
    { date: '2027-01-04', amount: 500, kind: 'first' },
    { date: '2027-02-01', amount: 400, kind: 'last' },
  ]
  const paymentSchedule = {
    monthlyAmount: 400,
    setupAmount: 100,
    billingCycle: 'monthly' as const,
    nextPaymentDate: '2027-01-04',
    payments,
  }
  assert.deepEqual(findScheduleMismatches({ paymentSchedule }, own), [])
  const faulty = {
    ...paymentSchedule,
    monthlyAmount: 401,
    setupAmount: 0,
    payments: [...payments.toReversed(), { date: '2027-02-02', amount: -1, kind: 'last' }],
  }
  assert.deepEqual(findScheduleMismatches({ paymentSchedule: faulty }, own), [
    'the payments sum to £8.99, totalCost is £9.00',
    'monthlyAmount is £4.01, monthlyCost £4.00',
    'setupAmount is £0.00, setupCost £1.00',
    'a payment is negative',
    'the payments are not in date order',
    'nextPaymentDate is 2027-01-04, but the first payment is on 2027-02-01',
  ])
})
