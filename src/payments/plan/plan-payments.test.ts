import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from '../../platform/kernel/dates.ts'
import { descriptionsOf, kindsOf, type PlanInput, planFor, summaries } from './plan-payments.fixture.ts'
import { nextPaymentDate } from './plan-payments.ts'

// Expected amounts and days were calculated by hand; the comments show how.

/**
 * The lead tenant of docs/api-behaviour.md#a-worked-example: 2,478 + 2,404 + 1,000 per month, set-up 334, 70,920 in
 * total.
 */
const leadTenant: Omit<PlanInput, 'today'> = {
  contract: ['2027-01-15', '2028-01-14'],
  lines: [
    { monthly: 2_478, total: 29_737 },
    { monthly: 2_404, total: 28_849 },
    { monthly: 1_000, total: 12_334, setup: 334 },
  ],
}

test('the worked example has a first payment for set-up, the part month and February, ten monthly payments and a last one', () => {
  const payments = planFor({ ...leadTenant, today: '2026-12-20' })
  // 334 + 5,882 × 17 ÷ 31 (3,225.61) + 5,882 = 9,442; 70,920 − 9,442 − 58,820 = 2,658
  assert.deepEqual(summaries(payments), [
    ['2027-02-01', 9_442, '2027-01-15', '2027-02-28'],
    ['2027-03-01', 5_882, '2027-03-01', '2027-03-31'],
    ['2027-04-01', 5_882, '2027-04-01', '2027-04-30'],
    ['2027-05-04', 5_882, '2027-05-01', '2027-05-31'],
    ['2027-06-01', 5_882, '2027-06-01', '2027-06-30'],
    ['2027-07-01', 5_882, '2027-07-01', '2027-07-31'],
    ['2027-08-02', 5_882, '2027-08-01', '2027-08-31'],
    ['2027-09-01', 5_882, '2027-09-01', '2027-09-30'],
    ['2027-10-01', 5_882, '2027-10-01', '2027-10-31'],
    ['2027-11-01', 5_882, '2027-11-01', '2027-11-30'],
    ['2027-12-01', 5_882, '2027-12-01', '2027-12-31'],
    ['2028-01-04', 2_658, '2028-01-01', '2028-01-14'],
  ])
  assert.deepEqual(kindsOf(payments), ['first', ...Array(10).fill('monthly'), 'last'])
  assert.equal(payments[0]?.description, 'Set-up, 15 to 31 January 2027 and February 2027')
  assert.equal(payments[1]?.description, 'March 2027')
  assert.equal(payments[11]?.description, '1 to 14 January 2028')
})

test('a tenant who joins late pays two billing months per billing date until caught up', () => {
  const payments = planFor({ ...leadTenant, today: '2027-06-25' })
  // 334 + 3,226 + 2 × 5,882 = 15,324; 5,882 + 2,658 = 8,540
  assert.deepEqual(summaries(payments), [
    ['2027-08-02', 15_324, '2027-01-15', '2027-03-31'],
    ['2027-09-01', 11_764, '2027-04-01', '2027-05-31'],
    ['2027-10-01', 11_764, '2027-06-01', '2027-07-31'],
    ['2027-11-01', 11_764, '2027-08-01', '2027-09-30'],
    ['2027-12-01', 11_764, '2027-10-01', '2027-11-30'],
    ['2028-01-04', 8_540, '2027-12-01', '2028-01-14'],
  ])
  assert.equal(payments[0]?.description, 'Set-up, 15 to 31 January 2027, February 2027 and March 2027')
  assert.equal(payments[5]?.description, 'December 2027 and 1 to 14 January 2028')
})

test("a contract that starts on the billing day has its first payment on that day, or on the nation's next working day", () => {
  const given: PlanInput = {
    contract: ['2027-01-01', '2027-12-31'],
    lines: [{ monthly: 5_000, total: 61_000, setup: 1_000 }],
    today: '2026-12-20',
  }
  const english = planFor(given)
  assert.equal(english.length, 12)
  assert.deepEqual(summaries(english)[0], ['2027-01-04', 6_000, '2027-01-01', '2027-01-31'])
  assert.equal(english[0]?.description, 'Set-up and January 2027')
  for (const { amount } of english.slice(1)) assert.equal(amount, 5_000)
  assert.equal(planFor({ ...given, division: 'scotland' })[0]?.date, '2027-01-05')
})

test('a billing date ten days ahead is used, but one nine days ahead is too soon', () => {
  assert.equal(planFor({ ...leadTenant, today: '2027-01-22' })[0]?.date, '2027-02-01')
  assert.equal(planFor({ ...leadTenant, today: '2027-01-23' })[0]?.date, '2027-03-01')
})

test('the notice period runs to the original billing date, even if the payment moves to a later working day', () => {
  // 1 August 2027 is a Sunday, ten days after 22 July and nine after 23 July. The payment is taken on 2 August.
  const contract: PlanInput['contract'] = ['2027-08-01', '2028-07-31']
  const lines = [{ monthly: 5_000, total: 60_000 }]
  assert.equal(planFor({ contract, lines, today: '2027-07-22' })[0]?.date, '2027-08-02')
  assert.equal(planFor({ contract, lines, today: '2027-07-23' })[0]?.date, '2027-09-01')
})

test('a contract within one billing month has a single payment on the next billing date', () => {
  const payments = planFor({
    contract: ['2027-01-31', '2027-02-27'],
    lines: [{ monthly: 3_100, total: 2_900, setup: 100 }],
    today: '2027-01-10',
    billingDay: 28,
  })
  // 28 February 2027 is a Sunday.
  assert.deepEqual(payments, [
    {
      date: '2027-03-01',
      amount: 2_900,
      kind: 'first',
      periodStart: '2027-01-31',
      periodEnd: '2027-02-27',
      description: 'Set-up and 31 January to 27 February 2027',
    },
  ])
})

test('a one-month contract that crosses a billing date has a single payment for both of its billing months', () => {
  const payments = planFor({
    contract: ['2027-01-15', '2027-02-14'],
    lines: [{ monthly: 3_000, total: 3_145 }],
    today: '2026-12-20',
  })
  assert.deepEqual(summaries(payments), [['2027-02-01', 3_145, '2027-01-15', '2027-02-14']])
  assert.deepEqual(descriptionsOf(payments), ['15 to 31 January 2027 and 1 to 14 February 2027'])
})

test('a contract of twenty-four months billed on the 28th has periods from the 28th to the 27th', () => {
  const payments = planFor({
    contract: ['2027-01-28', '2029-01-27'],
    lines: [{ monthly: 2_000, total: 48_007 }],
    today: '2027-01-01',
    billingDay: 28,
  })
  assert.equal(payments.length, 24)
  assert.deepEqual(summaries(payments)[0], ['2027-01-28', 2_000, '2027-01-28', '2027-02-27'])
  assert.deepEqual(summaries(payments)[13], ['2028-02-28', 2_000, '2028-02-28', '2028-03-27'])
  assert.deepEqual(summaries(payments)[23], ['2028-12-28', 2_007, '2028-12-28', '2029-01-27'])
  assert.equal(payments[11]?.description, '28 December 2027 to 27 January 2028')
})

test('a payment beyond the end of the holiday table is moved for holidays that are worked out', () => {
  const payments = planFor({
    contract: ['2029-01-01', '2029-12-31'],
    lines: [{ monthly: 5_000, total: 60_000 }],
    today: '2028-12-01',
  })
  assert.equal(payments[0]?.date, '2029-01-02') // 1 January is a holiday
  assert.equal(payments[3]?.date, '2029-04-03') // 1 April 2029 is Easter Sunday
})

test('the next payment is the first uncollected one from today on, or the last of the plan if there is none', () => {
  const planned = planFor({ ...leadTenant, today: '2026-12-20' })
  const payments = planned.map((payment) => ({ ...payment, status: 'planned' as const }))
  const on = (today: string) => nextPaymentDate(payments, isoDate(today))
  assert.equal(on('2026-12-20'), '2027-02-01')
  assert.equal(on('2027-02-01'), '2027-02-01')
  assert.equal(on('2027-02-02'), '2027-03-01')
  assert.equal(on('2028-01-03'), '2028-01-04')
  assert.equal(on('2028-06-01'), '2028-01-04')
  const paidEarly = payments.map((payment, index) => ({
    ...payment,
    status: index < 2 ? ('paid' as const) : payment.status,
  }))
  assert.equal(nextPaymentDate(paidEarly, isoDate('2026-12-20')), '2027-04-01')
  const allPaid = payments.map((payment) => ({ ...payment, status: 'paid' as const }))
  assert.equal(nextPaymentDate(allPaid, isoDate('2026-12-20')), '2028-01-04')
  const failed = payments.map((payment, index) => ({
    ...payment,
    status: index === 0 ? ('failed' as const) : payment.status,
  }))
  assert.equal(nextPaymentDate(failed, isoDate('2026-12-20')), '2027-02-01')
  assert.throws(() => nextPaymentDate([], isoDate('2027-01-01')), RangeError)
})
