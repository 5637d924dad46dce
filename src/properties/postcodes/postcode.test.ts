import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isDistrict, isServedPostcode, normalisePostcode, postcodeArea, regionOfArea } from './postcode.ts'

const pick = (letters: string) => fc.constantFrom(...letters)
const first = pick('ABCDEFGHIJKLMNOPRSTUWYZ')
const second = pick('ABCDEFGHKLMNOPQRSTUVWXY')
const digit = pick('0123456789')
const unit = pick('ABDEFGHJLNPQRSTUWXYZ')
const district = fc.oneof(
  fc.tuple(first, digit),
  fc.tuple(first, digit, digit),
  fc.tuple(first, second, digit),
  fc.tuple(first, second, digit, digit),
  fc.tuple(first, digit, pick('ABCDEFGHJKPSTUW')),
  fc.tuple(first, second, digit, pick('ABEHMNPRVWXY')),
)
const postcode = fc
  .tuple(district, digit, unit, unit)
  .map(([outward, sector, a, b]) => `${outward.join('')} ${sector}${a}${b}`)

test('a postcode is normalised whatever its letter case, spacing and dashes', () => {
  for (const text of [
    'SW7 2AZ',
    'sw72az',
    ' Sw7  2aZ ',
    '\u00a0SW7\u20072AZ\u3000',
    'S W 7 2 A Z',
    '\tSW7\n2AZ',
    'SW7-2AZ',
    'SW7\u20132A\u2212Z',
    'SW7\ufe0f\u3164 2AZ',
    '\u200bSW7\u200b 2AZ\ufeff',
    '\u202aSW7 2AZ\u202c',
    '\u2066SW7\u2069 2AZ\u200e',
  ]) {
    assert.equal(normalisePostcode(text), 'SW7 2AZ', JSON.stringify(text))
  }
})

test('any BS 7666 postcode is normalised to its standard form, whatever its letter case and spacing', () => {
  const spaces = fc.constantFrom('', ' ', '  ', '\u00a0', '\u2009')
  fc.assert(
    fc.property(postcode, spaces, spaces, spaces, fc.boolean(), (normal, before, between, after, lower) => {
      const text = before + normal.replace(' ', between) + after
      assert.equal(normalisePostcode(lower ? text.toLowerCase() : text), normal)
    }),
  )
})

test('text that is not a postcode is normalised to null', () => {
  const rejected = [
    '',
    ' ',
    'SW7',
    '2AZ',
    'SW7 2AZ1',
    'NOT A POSTCODE',
    '12345',
    'SW7 2A',
    '77777 2AZ',
    'ſW7 2AZ',
    'S\u0131W7 2AZ',
    'ＳＷ７ ２ＡＺ',
  ]
  const wrongLetters = [
    'QW7 2AZ',
    'VW7 2AZ',
    'XX1 1AA',
    'ZZ1 1AA',
    'SI7 2AZ',
    'SJ7 2AZ',
    'SZ7 2AZ',
    'W1I 1AA',
    'SW1C 1AA',
    'SW7 2CZ',
    'SW7 2AO',
  ]
  const foreign = ['ASCN 1ZZ', 'STHL 1ZZ', 'FIQQ 1ZZ', 'BFPO 1', '90210', `SW7${' '.repeat(200)}2AZ`]
  for (const text of [...rejected, ...wrongLetters, ...foreign]) assert.equal(normalisePostcode(text), null, text)
})

test('the beginning of a postcode is a district, with the digit of its sector or without; nothing else is', () => {
  for (const text of ['LS2', 'ls2 9', 'SW1A', 'M1']) assert.ok(isDistrict(text), text)
  for (const text of ['LS2 9JT', 'LS', 'Leeds', '', 'LS2 9J']) assert.ok(!isDistrict(text), text)
})

test("Girobank's postcode is valid but not served", () => {
  assert.equal(normalisePostcode('gir0aa'), 'GIR 0AA')
  assert.equal(isServedPostcode('GIR 0AA'), false)
})

test('postcodes that are outside Great Britain or non-geographic are not served', () => {
  for (const text of ['BT7 1NN', 'JE2 3AB', 'GY1 1AA', 'IM1 1AA', 'BF1 2AA', 'GIR 0AA', 'BX1 1LT', 'GX11 1AA']) {
    assert.equal(normalisePostcode(text), text, text)
    assert.equal(isServedPostcode(text), false, text)
  }
})

test('postcodes in Great Britain and the sandbox postcode area are served', () => {
  for (const text of ['NR4 7TJ', 'WC1E 6BT', 'E1 4NS', 'KY16 9AJ', 'ZE1 0AA', 'TE5 7AA'])
    assert.ok(isServedPostcode(text), text)
})

test('the area table lists the 120 areas of Great Britain and the sandbox area', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const areas = [...letters, ...letters.flatMap((first) => letters.map((second) => first + second))]
  assert.equal(areas.filter((area) => regionOfArea(area) !== null).length, 121)
})

test('the area of any postcode is the letters before its first digit', () => {
  assert.equal(postcodeArea('SW7 2AZ'), 'SW')
  assert.equal(postcodeArea('E1 4NS'), 'E')
})
