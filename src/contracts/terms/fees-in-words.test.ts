import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isoDate } from '../../platform/kernel/dates.ts'
import type { OperatorFile } from '../operator-file.ts'
import { readTerms, termsOf } from './agreed-terms.ts'
import type { EarlyExitTerms, LatePaymentTerms } from './fee-terms.ts'
import { earlyExitInWords, failureInWords, latePaymentInWords } from './fees-in-words.ts'

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
