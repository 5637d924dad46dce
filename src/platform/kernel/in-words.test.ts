import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from './dates.ts'
import { countInWords, dayInWords, momentInWords, ordinal, percentInWords, quantityInWords } from './in-words.ts'

test('days and times are written in London time', () => {
  assert.equal(dayInWords(isoDate('2027-02-01')), '1 February 2027')
  assert.equal(momentInWords(new Date('2026-12-20T14:03:59.999Z')), '20 December 2026 at 14:03 (UK time)')
  assert.equal(momentInWords(new Date('2026-06-30T23:30:00Z')), '1 July 2026 at 00:30 (UK time)')
})

test('a VAT rate is written as an exact percentage', () => {
  assert.deepEqual(['0', '0.05', '0.2', '0.125', '0.0025'].map(percentInWords), ['0%', '5%', '20%', '12.5%', '0.25%'])
})

test('a day of the month is written as an ordinal', () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 28].map(ordinal), [
    '1st',
    '2nd',
    '3rd',
    '4th',
    '11th',
    '12th',
    '13th',
    '21st',
    '22nd',
    '23rd',
    '28th',
  ])
})

test('a count up to twelve is written as a word, and an amount of energy is written with thousands separators', () => {
  assert.deepEqual([1, 12, 13].map(countInWords), ['one', 'twelve', '13'])
  assert.equal(quantityInWords(17_000, 'kWh'), '17,000 kWh')
})
