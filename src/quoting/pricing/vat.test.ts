import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fraction from 'fraction.js'
import { isoDate } from '../../platform/kernel/dates.ts'
import type { DatedVatRate } from '../rates/rate-card.ts'
import { netOf, vatIncludedIn, vatPeriods, vatRateOn } from './vat.ts'

const electricity: DatedVatRate[] = [
  { rate: '0.05' },
  { from: '2026-10-01', rate: '0' },
  { from: '2027-04-01', rate: '0.05' },
]
const periods = (rates: DatedVatRate[], from: string, to: string) => vatPeriods(rates, isoDate(from), isoDate(to))

test('the VAT rate changes at the start and end of the relief, on 1 October 2026 and 1 April 2027', () => {
  assert.equal(vatRateOn(electricity, isoDate('2026-09-30')), '0.05')
  assert.equal(vatRateOn(electricity, isoDate('2026-10-01')), '0')
  assert.equal(vatRateOn(electricity, isoDate('2027-03-31')), '0')
  assert.equal(vatRateOn(electricity, isoDate('2027-04-01')), '0.05')
})

test('two changes of rate give three VAT periods that together cover each day once', () => {
  assert.deepEqual(periods(electricity, '2026-09-15', '2027-05-01'), [
    { rate: '0.05', from: '2026-09-15', to: '2026-09-30' },
    { rate: '0', from: '2026-10-01', to: '2027-03-31' },
    { rate: '0.05', from: '2027-04-01', to: '2027-05-01' },
  ])
})

test('a term that ends on the last day of a rate or starts on its first day has one VAT period', () => {
  assert.deepEqual(periods(electricity, '2027-03-01', '2027-03-31'), [
    { rate: '0', from: '2027-03-01', to: '2027-03-31' },
  ])
  assert.deepEqual(periods(electricity, '2027-04-01', '2027-04-30'), [
    { rate: '0.05', from: '2027-04-01', to: '2027-04-30' },
  ])
})

test('an entry that repeats the previous rate does not start a new VAT period', () => {
  const unchanged = [{ rate: '0.2' }, { from: '2027-02-01', rate: '0.2' }]
  assert.deepEqual(periods(unchanged, '2027-01-01', '2027-03-01'), [
    { rate: '0.2', from: '2027-01-01', to: '2027-03-01' },
  ])
})

test('an empty term has no VAT periods', () => {
  assert.deepEqual(periods(electricity, '2027-04-02', '2027-04-01'), [])
})

test('calculating VAT periods throws if the first days of the term have no rate', () => {
  assert.throws(() => periods([{ from: '2027-02-01', rate: '0.2' }], '2027-01-31', '2027-03-01'), RangeError)
  assert.throws(() => vatRateOn([{ from: '2027-02-01', rate: '0.2' }], isoDate('2027-01-31')), RangeError)
})

test('the VAT and the net amount within a gross amount are exact and add up to it', () => {
  assert.equal(vatIncludedIn(new Fraction(1_000), '0.2').toFraction(), '500/3')
  assert.equal(netOf(new Fraction(1_000), '0.2').toFraction(), '2500/3')
  assert.equal(vatIncludedIn(new Fraction(105), '0.05').toFraction(), '5')
  assert.equal(netOf(new Fraction('26.35'), '0.05').toFraction(), '527/21')
  assert.equal(vatIncludedIn(new Fraction(1_000), '0').toFraction(), '0')
})
