import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { printable, printableParagraphs } from './printable.ts'

test('a name keeps its letters, whatever the script', () => {
  for (const name of ["Siân O'Neil", 'Nguyễn Thị', 'محمد', '王小明', 'علی‌رضا']) assert.equal(printable(name), name)
})

test('letters and accents given apart become one', () => {
  assert.equal(printable('Jose\u0301'), 'José')
})

test('white space becomes single spaces, and what cannot be seen goes', () => {
  assert.equal(printable('  Ana\t\n\u00a0 Lee\u2028'), 'Ana Lee')
  assert.equal(printable('A\u202eb\u2066c\u200b\u00add\ufeff'), 'Abcd')
})

test('the result is one line without controls, and doing it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = printable(text)
      assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
      assert.equal(printable(line), line)
    }),
  )
})

test('line breaks part an operator’s text into paragraphs; empty ones are left out', () => {
  assert.deepEqual(printableParagraphs('One.\n\n Two.\n \n'), ['One.', 'Two.'])
})
