import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, addMonths, daysBetween, isoDate, lastDayOfTerm } from '../../platform/kernel/dates.ts'
import { pence } from '../../platform/kernel/money.ts'
import type { EarlyExitTerms } from './fee-terms.ts'
import { type EarlyExit, earliestLastDay, exitFee, firstLastDayWithoutFee } from './fees-in-words.ts'

const terms: EarlyExitTerms = {
  noticeDays: 30,
  feePence: 2_000,
  feePencePerMonthLeft: 500,
  maximumFeePence: 6_000,
  unpaidSetUpIsDue: true,
  noFeeInLastDays: 49,
}
const contract = {
  startDate: isoDate('2027-01-15'),
  endDate: isoDate('2028-01-14'),
  monthlyCost: pence(5_882),
  unpaidSetUp: pence(334),
}
const leaving = (noticeGivenOn: string, lastDay: string, own: Partial<EarlyExit> = {}): EarlyExit => ({
  ...contract,
  noticeGivenOn: isoDate(noticeGivenOn),
  lastDay: isoDate(lastDay),
  ...own,
})

test('a waived cause leaves the fee in proportion to the services of which it is not waived, and no set-up', () => {
  const exit = (unwaived: number) =>
    exitFee(terms, leaving('2027-08-01', '2027-08-02', { unwaivedMonthlyCost: pence(unwaived) }))
  assert.deepEqual(exit(0), { fee: 0, setUp: 0, total: 0 })
  assert.deepEqual(exit(2_941), { fee: 2_250, setUp: 0, total: 2_250 })
  assert.equal(exit(5_882).fee, exitFee(terms, leaving('2027-07-01', '2027-08-02')).fee)
})

test('the exit fee is the fixed fee, plus the fee for each whole month left', () => {
  // From 15 September to 14 January are three whole months and 30 days.
  assert.deepEqual(exitFee(terms, leaving('2027-08-01', '2027-09-15')), { fee: 3_500, setUp: 334, total: 3_834 })
  assert.equal(exitFee(terms, leaving('2027-08-01', '2027-09-14')).fee, 4_000)
})

test('the exit fee never exceeds the maximum, nor the monthly cost of the whole months left', () => {
  assert.equal(exitFee(terms, leaving('2027-01-20', '2027-02-19')).fee, 6_000)
  const cheap = { monthlyCost: pence(700) }
  assert.equal(exitFee(terms, leaving('2027-09-01', '2027-11-14', cheap)).fee, 1_400)
})

test('the fee of a contract that ends before it begins counts the months of the term only', () => {
  const dear = { ...terms, maximumFeePence: 100_000 }
  const early = exitFee(dear, leaving('2026-11-01', '2026-12-05'))
  assert.deepEqual(early, exitFee(dear, leaving('2026-11-01', '2027-01-14')))
  assert.equal(early.fee, 2_000 + 12 * 500)
})

test('there is no exit fee once 49 days or fewer are left, but unpaid set-up is still due', () => {
  assert.equal(firstLastDayWithoutFee(terms, contract.endDate), '2027-11-26')
  assert.ok(exitFee(terms, leaving('2027-10-01', '2027-11-25')).fee > 0)
  assert.deepEqual(exitFee(terms, leaving('2027-10-01', '2027-11-26')), { fee: 0, setUp: 334, total: 334 })
})

test('set-up that was not paid is left out if the terms do not make it due', () => {
  const { setUp, total, fee } = exitFee({ ...terms, unpaidSetUpIsDue: false }, leaving('2027-08-01', '2027-09-15'))
  assert.deepEqual([setUp, total], [0, fee])
})

test('a last day after the term or before the end of the notice is rejected', () => {
  assert.equal(earliestLastDay(terms, isoDate('2027-08-01')), '2027-08-31')
  assert.throws(() => exitFee(terms, leaving('2027-08-01', '2027-08-30')), RangeError)
  assert.throws(() => exitFee(terms, leaving('2027-08-01', '2028-01-15')), RangeError)
  assert.ok(exitFee(terms, leaving('2027-08-01', '2027-08-31')).fee > 0)
})

const anyTerms: fc.Arbitrary<EarlyExitTerms> = fc.record({
  noticeDays: fc.nat(90),
  feePence: fc.nat(10_000),
  feePencePerMonthLeft: fc.nat(3_000),
  maximumFeePence: fc.nat(20_000),
  unpaidSetUpIsDue: fc.boolean(),
  noFeeInLastDays: fc.integer({ min: 49, max: 100 }),
})
const anyExit = fc
  .record({
    start: fc.integer({ min: 0, max: 1_500 }).map((days) => addDays(isoDate('2026-12-01'), days)),
    months: fc.integer({ min: 1, max: 24 }),
    left: fc.nat(800),
    monthlyCost: fc.nat(40_000).map(pence),
    unpaidSetUp: fc.nat(5_000).map(pence),
  })
  .map(({ start, months, left, ...cost }) => {
    const endDate = lastDayOfTerm(start, months)
    return {
      startDate: start,
      endDate,
      lastDay: addDays(endDate, -left),
      noticeGivenOn: addDays(endDate, -1_000),
      ...cost,
    }
  })

test('leaving later never costs a higher fee, and leaving never costs more than staying', () => {
  fc.assert(
    fc.property(anyTerms, anyExit, fc.nat(60), (each, exit, later) => {
      const charge = exitFee(each, exit)
      assert.ok(charge.fee >= 0)
      assert.equal(charge.total, charge.fee + charge.setUp)
      assert.ok(charge.fee <= (each.maximumFeePence ?? 0))
      if (charge.fee > 0) {
        const monthsLeft = Math.floor(charge.fee / Math.max(1, exit.monthlyCost))
        assert.ok(addMonths(exit.lastDay, monthsLeft) <= exit.endDate)
        assert.ok(daysBetween(exit.lastDay, exit.endDate) > each.noFeeInLastDays)
      }
      const lastDay = addDays(exit.lastDay, later)
      if (lastDay <= exit.endDate) assert.ok(exitFee(each, { ...exit, lastDay }).fee <= charge.fee)
    }),
    { numRuns: 1_000 },
  )
})
