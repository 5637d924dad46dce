import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv-line.ts'

test('a cell that a spreadsheet could run as a formula begins with an apostrophe', () => {
  const formulas = [
    '=1+1',
    '+1+1',
    '-1',
    '@SUM(A1)',
    '+44 7700',
    '+44A1',
    '\t=1',
    ' =1',
    '\u200b=1',
    '\u2060\ufeff+A1',
    '\u034f@A1',
    '\u00ad-A1',
    '\uff1d1',
    '\uff0b447700900123',
    '\ufe62A1',
  ]
  for (const cell of formulas) assert.equal(csvLine([cell]), `'${cell}\r\n`, JSON.stringify(cell))
  for (const cell of ['\n=1', '\r\n=1', '\r@A1']) assert.equal(csvLine([cell]), `"'${cell}"\r\n`, JSON.stringify(cell))
})

test('a phone number, a number and ordinary text are plain', () => {
  const cells = ['+447700900123', 'a=1', "O'Neill", '', '1-2', -5, null, true]
  assert.equal(csvLine(cells), "+447700900123,a=1,O'Neill,,1-2,-5,,true\r\n")
})
