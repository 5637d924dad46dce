import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { printable, printableParagraphs } from './printable.ts'

test('a name in any script keeps its letters', () => {
  for (const name of ["Siân O'Neil", 'Nguyễn Thị', 'محمد', '王小明', 'علی‌رضا']) assert.equal(printable(name), name)
})

test('a letter and an accent sent as separate characters are combined into one', () => {
  assert.equal(printable('Jose\u0301'), 'José')
})

test('white space becomes single spaces, and invisible characters are removed', () => {
  assert.equal(printable('  Ana\t\n\u00a0 Lee\u2028'), 'Ana Lee')
  assert.equal(printable('A\u202eb\u2066c\u200b\u00add\ufeff'), 'Abcd')
})

test('a character with a variation selector prints as the character alone', () => {
  assert.equal(printable('葛\u{e0100}城 A\ufe0e \u2764\ufe0f'), '葛城 A \u2764')
})

test('any text becomes one line without control characters, and a second call of printable changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = printable(text)
      assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
      assert.equal(printable(line), line)
    }),
  )
})

test('line breaks split an operator’s text into paragraphs, none of them empty', () => {
  assert.deepEqual(printableParagraphs('One.\n\n Two.\n \n'), ['One.', 'Two.'])
})
