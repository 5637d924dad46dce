import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alignRows, formatCount, formatInstant } from './table.ts'

test('rows are aligned by what a reader sees, figures to the right, without blanks at the end', () => {
  const rows = [
    ['name', 'homes', 'note'],
    ['Zoe\u0301', '1,200', ''],
    ['A', '7', 'few'],
  ]
  assert.deepEqual(alignRows(rows, { right: [1] }).split('\n'), [
    '  name  homes  note',
    '  Zoe\u0301   1,200',
    '  A         7  few',
  ])
})

test('no rows are no text, and a short row leaves its columns empty', () => {
  assert.equal(alignRows([]), '')
  assert.equal(alignRows([['a'], ['b', 'c']]), '  a\n  b  c')
})

test('counts and instants read as people write them', () => {
  assert.equal(formatCount(1_234_567), '1,234,567')
  assert.equal(formatInstant(new Date('2026-11-20T09:25:59.999Z')), '2026-11-20 09:25 UTC')
})
