import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, dayOfMonth, daysInPeriod, type IsoDate, isoDate, lastDayOfTerm } from '../../platform/kernel/dates.ts'
import { type HolidayDivision, isWorkingDay } from '../../platform/kernel/working-days.ts'
import type { QuotePrice } from '../../quoting/pricing/price.ts'
import { priceQuote } from '../../quoting/pricing/price-quote.ts'
import { autumnCard, fibreLine, packagesOfTypes, wifiAddOn } from '../../quoting/pricing/rate-card.fixture.ts'
import { holidays } from './plan-payments.fixture.ts'
import { type PlannedPayment, planPayments } from './plan-payments.ts'

interface Household {
  price: QuotePrice
  today: IsoDate
  division: HolidayDivision
  broadbandStart: IsoDate
  plans: PlannedPayment[][]
}

/** Arbitrary households, contracts and call dates, with the plan of each tenant. */
const household: fc.Arbitrary<Household> = fc
  .record({
    startOffset: fc.integer({ min: 0, max: 800 }),
    months: fc.integer({ min: 1, max: 23 }),
    moreDays: fc.nat(27),
    billingDay: fc.integer({ min: 1, max: 28 }),
    todayOffset: fc.integer({ min: -400, max: 900 }),
    broadbandOffset: fc.nat(60),
    tenants: fc.integer({ min: 1, max: 12 }),
    types: fc.subarray(['electricity', 'gas', 'broadband'], { minLength: 1 }),
    monthlyPrice: fc.oneof(fc.nat(20), fc.nat(9_000)),
    setupPrice: fc.nat(5_000),
    division: fc.constantFrom<HolidayDivision[]>('england-and-wales', 'scotland', 'northern-ireland'),
  })
  .map((given) => {
    const contractStartDate = addDays(isoDate('2026-12-01'), given.startOffset)
    const contractEndDate = addDays(lastDayOfTerm(contractStartDate, given.months), given.moreDays)
    const broadbandStart = addDays(contractStartDate, given.broadbandOffset)
    const today = addDays(contractStartDate, given.todayOffset)
    const term = { contractStartDate, contractEndDate, billingDay: given.billingDay }
    const price = priceQuote({
      ...term,
      card: autumnCard,
      address: { mpan: '1000000000040', mprn: '3938424403', country: 'England' },
      region: 'GB',
      packages: packagesOfTypes(autumnCard, ...given.types),
      products: [{ ...fibreLine, monthlyPrice: given.monthlyPrice, setupPrice: given.setupPrice }, wifiAddOn],
      broadbandStartDate: broadbandStart,
      tenantIds: Array.from({ length: given.tenants }, (_, index) => `tenant_${index}` as const),
      bedrooms: null,
    })
    const { division } = given
    const plans = price.shares.map((share) =>
      planPayments({ ...term, share, lines: price.lines, today, division, holidays }),
    )
    return { price, today, division, broadbandStart, plans }
  })

/** How many billing dates lie within a period: those up to its last day minus those before its first day. */
function billingMonthsBegun({ periodStart, periodEnd }: PlannedPayment, billingDay: number): number {
  const upTo = (day: IsoDate) =>
    Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) + (dayOfMonth(day) >= billingDay ? 1 : 0)
  return upTo(periodEnd) - upTo(addDays(periodStart, -1))
}

const runs = { numRuns: 60 }

test("the plans of any household add up to the tenants' and the household's totals and are never negative", () => {
  fc.assert(
    fc.property(household, ({ price, plans }) => {
      let together = 0
      for (const [index, payments] of plans.entries()) {
        const sum = payments.reduce((total, { amount }) => total + amount, 0)
        assert.equal(sum, price.shares[index]?.totalCost)
        together += sum
        for (const { amount } of payments) assert.ok(Number.isSafeInteger(amount) && amount >= 0)
      }
      assert.equal(together, price.totalCost)
    }),
    runs,
  )
})

test('the payments of any plan fall on working days in ascending order, at least ten days ahead and not before the contract starts', () => {
  fc.assert(
    fc.property(household, ({ price, today, division, plans }) => {
      for (const payments of plans) {
        const [first] = payments
        assert.ok(first)
        assert.ok(daysInPeriod(today, first.date) > 10)
        assert.ok(first.date >= price.contractStartDate)
        for (const [index, { date }] of payments.entries()) {
          assert.ok(isWorkingDay(date, division, holidays))
          const next = payments[index + 1]
          if (next !== undefined) assert.ok(date < next.date)
        }
      }
    }),
    runs,
  )
})

test('the periods of any plan cover the contract without gaps, with at most two billing months per payment', () => {
  fc.assert(
    fc.property(household, ({ price, plans }) => {
      for (const payments of plans) {
        assert.equal(payments.at(-1)?.periodEnd, price.contractEndDate)
        for (const [index, payment] of payments.entries()) {
          const next = payments[index + 1]
          if (next === undefined) continue // a payment of under £1 may have been merged into the last one
          assert.equal(next.periodStart, addDays(payment.periodEnd, 1))
          // A part month at the start has no billing date, so it is not counted.
          const begun = billingMonthsBegun(payment, price.billingDay)
          assert.ok(begun >= 1 && begun <= 2)
          assert.ok(payment.periodStart <= payment.date)
        }
      }
    }),
    runs,
  )
})

test("a payment for one whole billing month is exactly the tenant's monthly cost", () => {
  fc.assert(
    fc.property(household, ({ price, broadbandStart, plans }) => {
      for (const [index, payments] of plans.entries()) {
        for (const payment of payments.slice(0, -1)) {
          const whole =
            dayOfMonth(payment.periodStart) === price.billingDay && billingMonthsBegun(payment, price.billingDay) === 1
          if (!whole || payment.kind !== 'monthly' || payment.periodStart < broadbandStart) continue
          assert.equal(payment.amount, price.shares[index]?.monthlyCost)
        }
      }
    }),
    runs,
  )
})

test('any plan has a first payment, then monthly payments, then a last payment of at least a pound', () => {
  fc.assert(
    fc.property(household, ({ plans }) => {
      for (const payments of plans) {
        assert.ok(payments.length === 1 || (payments.at(-1)?.amount ?? 0) >= 100)
        for (const [index, { kind }] of payments.entries()) {
          const expected = index === 0 ? 'first' : index === payments.length - 1 ? 'last' : 'monthly'
          assert.equal(kind, expected)
        }
      }
    }),
    runs,
  )
})
