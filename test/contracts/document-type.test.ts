import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openFontLibrary } from '../../src/contracts/renderer/font-library.ts'
import { PdfFonts } from '../../src/contracts/renderer/pdf-fonts.ts'
import { styles } from '../../src/contracts/renderer/pdf-style.ts'
import { TypeSetter } from '../../src/contracts/renderer/type-setter.ts'
import { withoutWhitespace } from './document-texts.ts'

const typeSetter = new TypeSetter(new PdfFonts(openFontLibrary()))

test('in a mixed line, right-to-left words are reversed only within their own run', () => {
  const drawn = (text: string) =>
    typeSetter.lines(text, styles.text, 480).map(({ runs }) => runs.map((run) => run.text).join(''))
  assert.deepEqual(drawn('Flat א ב and ג'), ['Flat ב א and ג'])
  // Characters without a font are printed as markers, which read from left to right.
  assert.deepEqual(drawn('ܐ ܒ'), ['[U+0710] [U+0712]'])
})

test('breaking any text into lines loses no character, and no line exceeds the given width', () => {
  const word = fc.string({ unit: fc.constantFrom(...'aWi.-ŻЖ£9'), minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.integer({ min: 20, max: 480 }), (words, width) => {
      const text = words.join(' ')
      const lines = typeSetter.lines(text, styles.text, width)
      for (const line of lines) assert.ok(line.width <= width)
      assert.equal(
        withoutWhitespace(lines.flatMap(({ runs }) => runs.map((run) => run.text)).join('')),
        withoutWhitespace(text),
      )
    }),
    { numRuns: 60 },
  )
})
