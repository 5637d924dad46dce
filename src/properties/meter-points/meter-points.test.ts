import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { distributionRegions } from '../postcodes/distribution-regions.ts'
import { isMpan, isMprn, mpanWithCheckDigit, mprnWithCheckDigits } from './meter-points.ts'

const numberOf = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((digits) => digits.join(''))
const mpan = fc
  .tuple(fc.integer({ min: 10, max: 99 }), numberOf(10))
  .map(([distributor, number]) => mpanWithCheckDigit(`${distributor}${number}`))
const mprn = fc
  .integer({ min: 4, max: 8 })
  .chain((length) => fc.integer({ min: 10 ** (length - 1), max: 10 ** length - 1 }))
  .map((number) => mprnWithCheckDigits(String(number)))

/** The number with the digit at `place` increased by `by`, wrapping from 9 to 0. */
function changed(number: string, place: number, by: number): string {
  const digit = (Number(number[place]) + by) % 10
  return number.slice(0, place) + digit + number.slice(place + 1)
}

test('published example MPANs are valid', () => {
  for (const text of ['1800021679848', '1000000000040']) assert.ok(isMpan(text), text)
})

test('a generated MPAN is valid in every region', () => {
  const published = [
    '1012345678903',
    '1112345678908',
    '1212345678902',
    '1312345678907',
    '1412345678901',
    '1512345678906',
    '1612345678900',
  ]
  const more = [
    '1712345678905',
    '1812345678900',
    '1912345678904',
    '2012345678906',
    '2112345678900',
    '2212345678905',
    '2312345678900',
  ]
  for (const text of [...published, ...more]) assert.ok(isMpan(text), text)
  assert.deepEqual(
    [...published, ...more].map((text) => text.slice(0, 2)),
    distributionRegions.map((region) => region.distributorId),
  )
})

test('a malformed MPAN is invalid', () => {
  const tooShortOrLong = ['', '180002167984', '18000216798480', '18 00021679848', '1800021679848 ', '18000216798४8']
  for (const text of ['1800021679847', '0000000000000', ...tooShortOrLong]) assert.equal(isMpan(text), false, text)
})

test('changing one digit makes an MPAN invalid, unless the remainder changes from 0 to 10 or from 10 to 0, which share a check digit', () => {
  const weights = [3, 5, 7, 13, 17, 19, 23, 29, 31, 37, 41, 43]
  const remainder = (text: string) => weights.reduce((sum, weight, place) => sum + weight * Number(text[place]), 0) % 11
  fc.assert(
    fc.property(mpan, fc.integer({ min: 2, max: 12 }), fc.integer({ min: 1, max: 9 }), (number, place, by) => {
      assert.ok(isMpan(number))
      const other = changed(number, place, by)
      const cannotBeSeen = place < 12 && [remainder(number), remainder(other)].every((each) => each % 10 === 0)
      assert.equal(isMpan(other), cannotBeSeen)
    }),
  )
})

test('published example MPRNs are valid', () => {
  for (const text of ['3938424403', '1234567810', '8765432106', '1000000300', '50000008']) assert.ok(isMprn(text), text)
})

test('a malformed MPRN is invalid', () => {
  for (const text of ['', '3938424404', '12345', '12345678100', '0000000000', ' 3938424403', '39384244o3']) {
    assert.equal(isMprn(text), false, text)
  }
})

test('changing one digit makes an MPRN invalid', () => {
  fc.assert(
    fc.property(mprn, fc.nat(), fc.integer({ min: 1, max: 9 }), (number, place, by) => {
      assert.ok(isMprn(number))
      assert.equal(isMprn(changed(number, place % number.length, by)), false)
    }),
  )
})

test('calculating check digits throws RangeError if the number has the wrong length', () => {
  assert.throws(() => mpanWithCheckDigit('123'), RangeError)
  assert.throws(() => mprnWithCheckDigits('123456789'), RangeError)
})
