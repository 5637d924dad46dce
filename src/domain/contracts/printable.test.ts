import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { printable, printableParagraphs } from './printable.ts'

test('a name, when in any script, keeps its letters', () => {
  for (const name of ["Siân O'Neil", 'Nguyễn Thị', 'محمد', '王小明', 'علی‌رضا']) assert.equal(printable(name), name)
})

test('letters and accents, when sent separately, are combined', () => {
  assert.equal(printable('Jose\u0301'), 'José')
})

test('a text, when it has white space or invisible characters, keeps single spaces only', () => {
  assert.equal(printable('  Ana\t\n\u00a0 Lee\u2028'), 'Ana Lee')
  assert.equal(printable('A\u202eb\u2066c\u200b\u00add\ufeff'), 'Abcd')
})

test('any text, when made printable twice, is the same single line without control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = printable(text)
      assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
      assert.equal(printable(line), line)
    }),
  )
})

test('an operator’s text, when it has line breaks, becomes paragraphs without empty ones', () => {
  assert.deepEqual(printableParagraphs('One.\n\n Two.\n \n'), ['One.', 'Two.'])
})
