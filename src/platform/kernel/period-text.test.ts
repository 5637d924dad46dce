import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from './dates.ts'
import { listInWords, periodText } from './period-text.ts'

test('a period is written as briefly as possible', () => {
  const cases: [from: string, to: string, text: string][] = [
    ['2027-02-01', '2027-02-28', 'February 2027'],
    ['2028-02-01', '2028-02-28', '1 to 28 February 2028'],
    ['2028-02-01', '2028-02-29', 'February 2028'],
    ['2027-01-15', '2027-01-31', '15 to 31 January 2027'],
    ['2027-01-31', '2027-01-31', '31 January 2027'],
    ['2027-03-05', '2027-04-04', '5 March to 4 April 2027'],
    ['2027-12-28', '2028-01-27', '28 December 2027 to 27 January 2028'],
    ['2027-01-01', '2027-12-31', '1 January to 31 December 2027'],
  ]
  for (const [from, to, text] of cases) assert.equal(periodText(isoDate(from), isoDate(to)), text)
})

test('the items of a list are separated by commas, except for "and" before the last item', () => {
  assert.equal(listInWords([]), '')
  assert.equal(listInWords(['A']), 'A')
  assert.equal(listInWords(['A', 'B']), 'A and B')
  assert.equal(listInWords(['A', 'B', 'C']), 'A, B and C')
})
