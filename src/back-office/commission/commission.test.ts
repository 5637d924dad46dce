import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Fraction from 'fraction.js'
import { cancellableUntil } from '../../contracts/contract.ts'
import { encodeCursor } from '../../platform/http/schemas/page.ts'
import { addDays, daysInPeriod, isoDate, londonDate } from '../../platform/kernel/dates.ts'
import { newId } from '../../platform/kernel/ids.ts'
import { pence } from '../../platform/kernel/money.ts'
import { rightToCancelIsOverSince } from '../../quoting/quotes/quote-policy.ts'
import { cursorOf, positionOf } from './commission.schema.ts'
import {
  clawbackAmount,
  commissionEntryKinds,
  earnedAmount,
  earnedOn,
  reductionAmount,
  unsuppliedDays,
} from './commission-entry.ts'
import { bookingMonth, isMonth, type Month, monthOf } from './commission-month.ts'
import { type CommissionTier, kindOf, rateOf, termsOn, tierProblem } from './commission-terms.ts'

const month = (text: string) => (isMonth(text) ? text : assert.fail(text))
const amounts = fc.integer({ min: 0, max: 10_000_000 }).map(pence)
const terms = fc.integer({ min: 1, max: 1_100 })
const shareOf = (basisPoints: number): CommissionTier => ({ upTo: null, basisPoints, amount: null })
const fixed = (amount: number, upTo: number | null = null): CommissionTier => ({ upTo, basisPoints: null, amount })

test('a clawback is never more than what was earned, and all of it if nothing was supplied', () => {
  fc.assert(
    fc.property(amounts, terms, fc.nat(), (earned, term, chosen) => {
      const unsupplied = chosen % (term + 1)
      const back = clawbackAmount(earned, { unsupplied, term })
      assert.ok(back <= 0 && -back <= earned)
      assert.ok(!Object.is(back, -0))
      assert.equal(clawbackAmount(earned, { unsupplied: term, term }), 0 - earned)
      assert.equal(clawbackAmount(earned, { unsupplied: 0, term }), 0)
      const exact = new Fraction(earned).mul(unsupplied).div(term)
      assert.ok(exact.add(back).abs().compare(new Fraction(1, 2)) <= 0, 'it is rounded once, to the nearest penny')
    }),
  )
})

test('a fixed amount for a share that is taken over is earned once in all, to the penny', () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: 2, max: 1_100 }), fc.nat(), (amount, household, chosen) => {
      const rest = 1 + (chosen % (household - 1))
      const rate = fixed(amount)
      const leaver = earnedAmount(rate, { valueNet: pence(0), termDays: household, householdDays: household })
      const joiner = earnedAmount(rate, { valueNet: pence(0), termDays: rest, householdDays: household })
      assert.equal(leaver, amount)
      assert.equal(joiner + clawbackAmount(leaver, { unsupplied: rest, term: household }), 0)
    }),
  )
})

test('a share is the exact part of the value, rounded half up', () => {
  const days = { termDays: 365, householdDays: 365 }
  assert.equal(earnedAmount(shareOf(250), { valueNet: pence(101_020), ...days }), 2_526)
  assert.equal(earnedAmount(shareOf(250), { valueNet: pence(101_019), ...days }), 2_525)
  assert.equal(earnedAmount(shareOf(1), { valueNet: pence(4_999), ...days }), 0)
  assert.equal(earnedAmount(shareOf(10_000), { valueNet: pence(4_999), ...days }), 4_999)
})

test('a contract earns on the day after its right to cancel has ended, and a query knows whether that day has come', () => {
  const instants = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  const later = fc.option(fc.nat(40 * 86_400_000))
  fc.assert(
    fc.property(instants, later, fc.integer({ min: -3, max: 60 }), (effectiveAt, sentLater, days) => {
      const confirmationSentAt = sentLater === null ? null : new Date(effectiveAt.getTime() + sentLater)
      const until = cancellableUntil({ effectiveAt, confirmationSentAt }) ?? assert.fail()
      const today = addDays(londonDate(effectiveAt), days)
      const isOver = (confirmationSentAt ?? effectiveAt) <= rightToCancelIsOverSince(today)
      assert.equal(isOver, londonDate(until) < today)
      const [effectiveOn, confirmedOn] = [effectiveAt, confirmationSentAt ?? effectiveAt].map(londonDate)
      assert.equal(earnedOn(effectiveOn ?? today, confirmedOn), addDays(londonDate(until), 1))
    }),
  )
})

test('days before the first and after the last are not supplied, and none of a cancelled contract', () => {
  const [startsOn, endsOn] = [isoDate('2027-01-13'), isoDate('2028-01-12')]
  const unsupplied = (endedOn: string, status: 'ended' | 'cancelled' = 'ended') =>
    unsuppliedDays({ status, startsOn, endsOn, endedOn: isoDate(endedOn) })
  assert.equal(unsupplied('2028-01-12'), 0)
  assert.equal(unsupplied('2028-01-11'), 1)
  assert.equal(unsupplied('2027-01-13'), 364)
  assert.equal(unsupplied('2027-01-12'), 365)
  assert.equal(unsupplied('2026-12-05'), 365, 'it ended before it began')
  assert.equal(unsupplied('2027-03-01', 'cancelled'), 365)
  assert.equal(daysInPeriod(startsOn, endsOn), 365)
})

test('an entry is on the statement of its month, or of the first open one if that is closed', () => {
  const day = isoDate('2026-12-31')
  assert.equal(bookingMonth(day, null), '2026-12')
  assert.equal(bookingMonth(day, month('2026-11')), '2026-12')
  assert.equal(bookingMonth(day, month('2026-12')), '2027-01')
  assert.equal(bookingMonth(day, month('2027-03')), '2027-04')
  assert.equal(monthOf(addDays(day, 1)), '2027-01' as Month)
  for (const wrong of ['2026-13', '2026-1', '202612', '2026-12-01', '']) assert.ok(!isMonth(wrong), wrong)
})

test('each contract has the rate of its own tier', () => {
  const tiers = [fixed(100, 1), fixed(200, 3), shareOf(300)]
  assert.equal(tierProblem(tiers), undefined)
  assert.deepEqual(
    [1, 2, 3, 4, 1_000].map((number) => rateOf(tiers, number)),
    [tiers[0], tiers[1], tiers[1], tiers[2], tiers[2]],
  )
  assert.deepEqual([kindOf(tiers), kindOf([fixed(1)]), kindOf([shareOf(1)])], ['tiers', 'fixed', 'share'])
})

test('tiers that leave a contract without a rate, or with two, are rejected', () => {
  const both: CommissionTier = { upTo: null, basisPoints: 1, amount: 1 }
  const neither: CommissionTier = { upTo: null, basisPoints: null, amount: null }
  for (const [index, tiers] of [
    [0, [both]],
    [0, [neither]],
    [0, [fixed(1, 5)]],
    [0, [fixed(1), fixed(2)]],
    [1, [fixed(1, 5), fixed(2, 5), fixed(3)]],
    [1, [fixed(1, 5), fixed(2, 4), fixed(3)]],
  ] as const)
    assert.equal(tierProblem(tiers)?.index, index, JSON.stringify(tiers))
})

test('of terms with the same first day, the later ones apply', () => {
  const all = [
    ['2027-01-01', 1],
    ['2027-03-01', 2],
    ['2027-01-01', 3],
  ].map(([firstDay, termNumber]) => ({
    termNumber: Number(termNumber),
    firstDay: isoDate(String(firstDay)),
    tiers: [fixed(1)],
    recordedAt: new Date(0),
  }))
  const on = (day: string) => termsOn(all, isoDate(day))?.termNumber
  assert.deepEqual([on('2026-12-31'), on('2027-01-01'), on('2027-02-28'), on('2027-03-01')], [undefined, 3, 3, 2])
})

test('a price reduction takes back its share of the value without VAT, and never more than is left of the earning', () => {
  const share = { basisPoints: 250 }
  assert.equal(reductionAmount(share, pence(10_000), pence(3_000)), -250)
  assert.equal(reductionAmount(share, pence(1_000_000), pence(3_000)), -3_000)
  assert.equal(reductionAmount(share, pence(10_000), pence(0)), 0)
  assert.equal(reductionAmount({ basisPoints: null }, pence(10_000), pence(3_000)), 0)
  assert.equal(clawbackAmount(pence(3_650), { unsupplied: 100, term: 365, left: pence(900) }), -900)
})

test('a cursor names the entry after which the next page begins, whatever its kind', () => {
  const entry = { partnerId: newId('partner'), countsOn: isoDate('2027-01-31'), contractNumber: '4821-7730-9150' }
  for (const kind of commissionEntryKinds) {
    const position = { ...entry, kind, refundEntryId: kind === 'reduction' ? newId('entry') : null }
    assert.deepEqual(positionOf(encodeCursor(cursorOf(position)) ?? ''), position)
  }
})
