import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, addMonths, daysBetween, isoDate, lastDayOfTerm } from '../../platform/kernel/dates.ts'
import { pence } from '../../platform/kernel/money.ts'
import type { OperatorFile } from '../operator-file.ts'
import { readTerms, termsOf } from './agreed-terms.ts'
import type { EarlyExitTerms, LatePaymentTerms } from './fee-terms.ts'
import {
  type EarlyExit,
  earliestLastDay,
  earlyExitInWords,
  exitFee,
  failureInWords,
  firstLastDayWithoutFee,
  latePaymentInWords,
} from './fees-in-words.ts'

const sample: OperatorFile = JSON.parse(
  readFileSync(new URL('../../../reference-data/operator.sample.json', import.meta.url), 'utf8'),
)
const { earlyExit: sampleExit, latePayment: sampleLate, ...withoutFigures } = sample
assert.ok(sampleExit && sampleLate)

const exit = (own: Partial<EarlyExitTerms> = {}) =>
  earlyExitInWords(readTerms(termsOf({ ...sample, earlyExit: { ...sampleExit, ...own } })))
const late = (own: Partial<LatePaymentTerms> = {}) =>
  latePaymentInWords(readTerms(termsOf({ ...sample, latePayment: { ...sampleLate, ...own } })))

test('the figures for leaving early become sentences with the notice, the fee, its VAT and when there is no fee', () => {
  assert.deepEqual(exit(), [
    'You can end your contract early. Tell us at least 30 days before the day on which it is to end. You pay for the time up to your last day, and an exit fee of £20.00, including VAT at the rates of your services. If you have not paid for set-up yet, you still pay for it.',
    'There is no exit fee if 49 days or fewer are left after your last day, or if you leave because we broke the contract. The fee is never more than your monthly price for the whole months that are left.',
    'You need give no notice, and pay no exit fee and no set-up that you have not paid yet, if the contract ends because your tenancy ends, your tenancy does not start, nobody can live in the home, we broke it, you move into care, you are seriously ill, you leave to be safe or you die.',
  ])
  const services: ['electricity', 'gas'] = ['electricity', 'gas']
  assert.deepEqual(exit({ waivedFor: [{ cause: 'tenancy_ended', services }] }).slice(2), [
    'You need give no notice, and pay no set-up that you have not paid yet and no exit fee for electricity and gas, though one for your other services in proportion to their price, if the contract ends because your tenancy ends.',
  ])
})

test('a fee for each month left and a maximum are named, and left out if there are none', () => {
  const own = {
    feePencePerMonthLeft: 500,
    maximumFeePence: 6_000,
    vatRate: '0',
    noticeDays: 0,
    unpaidSetUpIsDue: false,
  }
  assert.match(
    exit(own).join(' '),
    /It can end on the day you tell us, or on any later day\. .* an exit fee of £20\.00 plus £5\.00 for each whole month that is left, at most £60\.00\. If you have not paid for set-up yet, you do not have to\./,
  )
  assert.match(
    exit({ ...own, feePence: 0 }).join(' '),
    /an exit fee of £5\.00 for each whole month that is left, at most/,
  )
  assert.match(exit({ vatRate: '0.2' }).join(' '), /£20\.00, including 20% VAT\./)
  for (const none of [{ feePence: 0 }, { maximumFeePence: 0 }]) {
    assert.match(exit(none).join(' '), /There is no exit fee\. /)
    assert.equal(exit(none).length, 2)
  }
})

test('the figures for paying late become sentences', () => {
  const retry = 'If a payment fails, we tell you by e-mail and try your card again after five working days.'
  assert.deepEqual(late(), [`${retry} The first failed payment costs nothing. Each further one costs £5.00.`])
  assert.deepEqual(late({ freeFailures: 0, vatRate: '0.2' }), [
    `${retry} Each failed payment costs £5.00, including 20% VAT.`,
  ])
  assert.deepEqual(late({ freeFailures: 2 }), [
    `${retry} The first two failed payments cost nothing. Each further one costs £5.00.`,
  ])
  assert.deepEqual(late({ feePence: 0, retryAfterWorkingDays: 1 }), [
    'If a payment fails, we tell you by e-mail and try your card again after one working day. A failed payment costs you nothing.',
  ])
})

test('a failed payment says the day of the next try only if there is one, and what this and the next failure cost', () => {
  const retryOn = isoDate('2027-02-08')
  const no = 'We do not try again until you enter another card.'
  for (const [after, told] of [
    [{ retryOn, fee: 0, nextFee: 0 }, 'We try again on 8 February 2027. This failed payment costs you nothing.'],
    [
      { retryOn: null, fee: 0, nextFee: 500 },
      `${no} This failed payment costs you nothing. The next payment that fails costs £5.00.`,
    ],
    [
      { retryOn: null, fee: 500, nextFee: 500 },
      `${no} This failed payment costs £5.00, and so does each further payment that fails.`,
    ],
  ] as const)
    assert.equal(failureInWords(after), told)
})

test("without figures the operator's own text is used, and without text nothing is promised", () => {
  const written = {
    ...withoutFigures,
    terms: { ...sample.terms, endingEarly: 'Write.\nThen go.', latePayment: 'Pay.' },
  }
  assert.deepEqual(earlyExitInWords(readTerms(termsOf(written))), ['Write.', 'Then go.'])
  assert.deepEqual(latePaymentInWords(readTerms(termsOf(written))), ['Pay.'])
  const silent = readTerms(termsOf(withoutFigures))
  assert.match(earlyExitInWords(silent).join(), /^These terms do not say how to end the contract early/)
  assert.match(latePaymentInWords(silent).join(), /set no charge for paying late/)
})

test('a version of the terms contains the words and the figures, and nothing else of the file', () => {
  const { version, words, earlyExit, latePayment, text, sha256 } = readTerms(termsOf(sample))
  assert.deepEqual(
    [version, words, earlyExit, latePayment],
    [sample.terms.version, sample.terms, sample.earlyExit, sample.latePayment],
  )
  assert.match(sha256, /^[0-9a-f]{64}$/)
  assert.doesNotMatch(text, /Sample Power/)
})

test('the hash does not depend on the order of members, and changes with every word and figure', () => {
  const { sha256 } = termsOf(sample)
  const reversed = Object.fromEntries(Object.entries(sample.terms).reverse()) as OperatorFile['terms']
  assert.equal(termsOf({ ...sample, terms: reversed }).sha256, sha256)
  const supplier = { ...sample.suppliers, gas: { name: 'Other', address: 'Elsewhere', phone: '1' } }
  assert.equal(termsOf({ ...sample, suppliers: supplier }).sha256, sha256)
  const { earlyExit: _, ...withoutExit } = sample
  for (const changed of [
    { ...sample, terms: { ...sample.terms, deposit: `${sample.terms.deposit} ` } },
    { ...sample, terms: { ...sample.terms, clauses: [...sample.terms.clauses].reverse() } },
    withoutExit,
  ]) {
    assert.notEqual(termsOf(changed).sha256, sha256)
  }
})

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
