import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, isoDate } from '../../platform/kernel/dates.ts'
import { billingMonths, countContractMonths, daysWithin, nextBillingDate } from './billing-months.ts'

function months(from: string, to: string, billingDay: number): string {
  return countContractMonths(isoDate(from), isoDate(to), billingDay).toFraction()
}

test('1 September to 15 June, billed on the 1st, is nine and a half contract months', () => {
  assert.equal(months('2026-09-01', '2027-06-15', 1), '19/2')
})

test('a partial month at either end of a contract counts as a fraction of the billing month in which it lies', () => {
  // 17 of January's 31 days and 14 of the next January's 31, with eleven whole months between.
  assert.equal(months('2027-01-15', '2028-01-14', 1), '12')
  // 9 of February's 28 days and 10 of March's 31.
  assert.equal(months('2027-02-20', '2027-03-10', 1), '559/868')
})

test('one day counts as a fraction of a contract month, a whole billing month as 1 and an empty term as 0', () => {
  assert.equal(months('2027-04-10', '2027-04-10', 1), '1/30')
  assert.equal(months('2027-01-28', '2027-02-27', 28), '1')
  assert.equal(months('2027-03-02', '2027-03-01', 1), '0')
})

test('contract months are calculated with 29 days for February in a leap year', () => {
  assert.equal(months('2028-02-01', '2028-02-15', 1), '15/29')
  assert.equal(months('2028-02-28', '2028-03-27', 28), '1')
  assert.equal(months('2028-02-28', '2028-02-29', 28), '2/29')
})

test('a contract that starts on the billing day has a whole number of contract months', () => {
  assert.equal(months('2027-01-28', '2029-01-27', 28), '24')
  assert.equal(months('2027-01-01', '2028-12-31', 1), '24')
  assert.equal(months('2027-06-15', '2027-07-14', 15), '1')
})

test('each billing month states its full period and the contract days within it', () => {
  assert.deepEqual(billingMonths(isoDate('2027-12-30'), isoDate('2028-02-03'), 5), [
    { start: '2027-12-05', end: '2028-01-04', days: 31, from: '2027-12-30', to: '2028-01-04' },
    { start: '2028-01-05', end: '2028-02-04', days: 31, from: '2028-01-05', to: '2028-02-03' },
  ])
  assert.deepEqual(billingMonths(isoDate('2027-03-02'), isoDate('2027-03-01'), 1), [])
})

test('only the days of a term that fall in the billing month are counted', () => {
  const [february] = billingMonths(isoDate('2027-02-01'), isoDate('2027-02-28'), 1)
  assert.ok(february)
  const within = (from: string, to: string) => daysWithin(february, isoDate(from), isoDate(to))
  assert.equal(within('2027-02-20', '2027-12-31'), 9)
  assert.equal(within('2027-01-01', '2027-02-03'), 3)
  assert.equal(within('2027-03-01', '2027-03-31'), 0)
})

test('the next billing date is the day itself, a later day of the month or a day in the next month', () => {
  assert.equal(nextBillingDate(isoDate('2027-02-01'), 1), '2027-02-01')
  assert.equal(nextBillingDate(isoDate('2027-02-02'), 1), '2027-03-01')
  assert.equal(nextBillingDate(isoDate('2027-12-29'), 28), '2028-01-28')
  assert.equal(nextBillingDate(isoDate('2027-02-03'), 28), '2027-02-28')
})

test('a billing day below 1 or above 28 throws RangeError', () => {
  assert.throws(() => countContractMonths(isoDate('2027-01-01'), isoDate('2027-12-31'), 29), RangeError)
  assert.throws(() => billingMonths(isoDate('2027-01-01'), isoDate('2027-12-31'), 0), RangeError)
})

const day = fc.integer({ min: 0, max: 1_500 }).map((offset) => addDays(isoDate('2026-01-01'), offset))
const billingDay = fc.integer({ min: 1, max: 28 })

test('splitting a term anywhere does not change the sum of its contract months', () => {
  fc.assert(
    fc.property(day, fc.nat(800), fc.nat(800), billingDay, (from, first, second, on) => {
      const cut = addDays(from, first)
      const to = addDays(cut, second + 1)
      const parts = countContractMonths(from, cut, on).add(countContractMonths(addDays(cut, 1), to, on))
      assert.equal(parts.toFraction(), countContractMonths(from, to, on).toFraction())
    }),
  )
})

test('the billing months of any contract cover each of its days exactly once', () => {
  fc.assert(
    fc.property(day, fc.nat(800), billingDay, (from, length, on) => {
      const to = addDays(from, length)
      const all = billingMonths(from, to, on)
      assert.equal(all[0]?.from, from)
      assert.equal(all.at(-1)?.to, to)
      for (const [index, month] of all.entries()) {
        assert.ok(month.start <= month.from && month.from <= month.to && month.to <= month.end)
        const next = all[index + 1]
        if (next !== undefined) assert.equal(next.from, addDays(month.to, 1))
      }
    }),
  )
})
