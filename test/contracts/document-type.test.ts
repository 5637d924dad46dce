import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openFontLibrary, subsetsFor } from '../../src/adapters/document-renderer/fonts/font-library.ts'
import { parseUnicodeRanges } from '../../src/adapters/document-renderer/fonts/unicode-ranges.ts'
import { woffToSfnt } from '../../src/adapters/document-renderer/fonts/woff-to-sfnt.ts'
import { PdfFonts } from '../../src/adapters/document-renderer/pdf-fonts.ts'
import { styles } from '../../src/adapters/document-renderer/pdf-style.ts'
import { glyphsRevealText, textRuns } from '../../src/adapters/document-renderer/text-runs.ts'
import { TypeSetter } from '../../src/adapters/document-renderer/type-setter.ts'
import { inVisualOrder, isRightToLeft } from '../../src/adapters/document-renderer/visual-order.ts'
import { withoutWhitespace } from './document-texts.ts'

const library = openFontLibrary()
const fonts = new PdfFonts(library)
const typeSetter = new TypeSetter(fonts)

test('typesetting text needs only the font files for its scripts', () => {
  const names = (text: string) => subsetsFor(text, library).map(({ name }) => name)
  assert.deepEqual(names('Total £12.50'), ['noto-sans-latin'])
  assert.deepEqual(names('Łódź'), ['noto-sans-latin', 'noto-sans-latin-ext'])
  assert.deepEqual(names('Шевченко'), ['noto-sans-cyrillic'])
  assert.deepEqual(
    names('李').map((name) => name.replace(/-\d+$/, '')),
    ['noto-sans-sc'],
  )
  assert.deepEqual(names('𐎀'), [])
})

test('Unicode ranges are parsed, and anything else is rejected', () => {
  assert.deepEqual(parseUnicodeRanges('U+0000-00FF, U+131'), [
    { from: 0, to: 0xff },
    { from: 0x131, to: 0x131 },
  ])
  for (const text of ['', 'U+4??', 'latin', 'U+0-']) assert.throws(() => parseUnicodeRanges(text), RangeError)
})

test('unpacking a WOFF file gives a font with the same tables, aligned and listed in its directory', () => {
  const woff = library.subsets[0]?.file('regular', 'woff') ?? Buffer.alloc(0)
  const sfnt = woffToSfnt(woff)
  const count = woff.readUInt16BE(12)
  assert.equal(sfnt.readUInt32BE(0), 0x00010000)
  assert.equal(sfnt.readUInt16BE(4), count)
  for (let index = 0; index < count; index += 1) {
    const offset = sfnt.readUInt32BE(12 + 16 * index + 8)
    const length = sfnt.readUInt32BE(12 + 16 * index + 12)
    assert.equal(length, woff.readUInt32BE(44 + 20 * index + 12))
    assert.equal(offset % 4, 0)
    assert.ok(offset + length <= sfnt.length)
  }
  assert.throws(() => woffToSfnt(library.subsets[0]?.file('regular', 'woff2') ?? Buffer.alloc(0)), RangeError)
})

test('text is typeset in as few runs as possible, with a marker for each character that is missing from all fonts', () => {
  const runs = textRuns('Ana Шев 𐎀!', 'regular', fonts).map(({ face, text }) => [face.name, text])
  assert.deepEqual(runs, [
    ['noto-sans-latin-regular', 'Ana '],
    ['noto-sans-cyrillic-regular', 'Шев'],
    ['noto-sans-latin-regular', ' [U+10380]!'],
  ])
})

test('glyphs do not reveal the text if a marker stands for a missing character or if the script needs shaping', () => {
  assert.equal(glyphsRevealText('Żółć Нина', fonts), true)
  assert.equal(glyphsRevealText('𐎀', fonts), false)
  assert.equal(glyphsRevealText('अनुराधा', fonts), false)
})

test('every glyph in a name maps back to its characters, and no accent is lost', () => {
  for (const [letter, codePoint] of [
    ['ị', 0x1ecb],
    ['ṃ', 0x1e43],
    ['ǹ', 0x01f9],
  ] as const) {
    const face = fonts.faceFor(letter, 'regular')
    assert.deepEqual(
      face?.font.layout(letter).glyphs.map(({ codePoints }) => codePoints),
      [[codePoint]],
    )
  }
})

test('in a mixed line, right-to-left words are reversed only within their own run', () => {
  assert.deepEqual(inVisualOrder(['Flat', 'א', 'ב', 'and', 'ג'], isRightToLeft), ['Flat', 'ב', 'א', 'and', 'ג'])
  assert.deepEqual(
    inVisualOrder(['א', 'ב'], () => false),
    ['א', 'ב'],
  )
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
