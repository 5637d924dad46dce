import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fraction from 'fraction.js'
import { isoDate } from '../../platform/kernel/dates.ts'
import { roundHalfUp } from '../../platform/kernel/money.ts'
import type { DatedVatRate } from '../rates/rate-card.ts'
import { priceQuote } from './price-quote.ts'
import { autumnCard, fibreLine, packagesOfTypes } from './rate-card.fixture.ts'
import { netOf, vatIncludedIn, vatLikeServices, vatPeriods, vatRateOn } from './vat.ts'

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

test('the VAT of an exit fee follows the services in proportion to their price, at the rates of its day', () => {
  const price = priceQuote({
    ...{ card: autumnCard, address: { mpan: '1012345678901', mprn: '1234567890', country: 'England' }, region: '_A' },
    packages: packagesOfTypes(autumnCard, 'electricity', 'gas', 'broadband'),
    ...{ products: [fibreLine], broadbandStartDate: null, tenantIds: ['tenant_1'], bedrooms: null, billingDay: 1 },
    ...{ contractStartDate: isoDate('2027-01-01'), contractEndDate: isoDate('2027-12-31') },
  })
  const [share = assert.fail()] = price.shares
  const vatOn = (day: string, of = share) => roundHalfUp(vatLikeServices(new Fraction(2_000), price, of, isoDate(day)))
  const [electricity = 0, gas = 0, broadband = 0] = share.lines.map(({ totalCost, setupCost }) => totalCost - setupCost)
  const [inRelief, after] = [gas / 21 + broadband / 6, (electricity + gas) / 21 + broadband / 6].map((vat) =>
    Math.round((2_000 * vat) / (electricity + gas + broadband)),
  )
  assert.deepEqual([vatOn('2026-12-15'), vatOn('2027-03-31')], [inRelief, inRelief])
  assert.deepEqual([vatOn('2027-04-01'), vatOn('2028-02-01')], [after, after])
  assert.ok(inRelief !== after && after !== undefined && after < 333)
})
