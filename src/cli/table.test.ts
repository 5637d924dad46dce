import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alignRows, formatCount, formatInstant } from './table.ts'

test('rows are aligned by visible width, with figures right-aligned and no trailing spaces', () => {
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

test('a table without rows is an empty string, and missing cells are left blank', () => {
  assert.equal(alignRows([]), '')
  assert.equal(alignRows([['a'], ['b', 'c']]), '  a\n  b  c')
})

test('counts and instants are formatted for human readers', () => {
  assert.equal(formatCount(1_234_567), '1,234,567')
  assert.equal(formatInstant(new Date('2026-11-20T09:25:59.999Z')), '2026-11-20 09:25 UTC')
})
