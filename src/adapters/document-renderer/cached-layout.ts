import type { Font, Glyph, GlyphRun } from 'fontkit'
import { hasShapedScript } from './fonts/shaped-script.ts'
import { WordCache } from './word-cache.ts'

/** A font that caches the layout of words. */
export interface CachingFont {
  font: Font
  forget(words: readonly string[]): void
}

/** pdfkit's own unit. It converts positions in place; with this unit that leaves them unchanged, so all documents can share them. */
const unitsPerEm = 1000

/** Adds a cache of word layouts to a font: layout is the most expensive part of rendering a document. Throws if the font has other units than pdfkit. */
export function withCachedLayout(font: Font): CachingFont {
  if (font.unitsPerEm !== unitsPerEm)
    throw new Error(`${font.postscriptName} has ${font.unitsPerEm} units per em, not ${unitsPerEm}`)
  const layouts = new WordCache<GlyphRun>()
  const layout = (text: string) => layouts.recall(text, (word) => layoutWord(font, word))
  return {
    font: Object.create(font, { layout: { value: layout } }),
    forget(words) {
      layouts.forget(words)
      font._glyphs = {}
    },
  }
}

/**
 * Lays out a word so that the same word always gives the same result and its text can be read back from the PDF. fontkit remembers
 * the first characters that a glyph stood for, even those of another document, so its glyph cache is cleared. In scripts with one
 * glyph per letter, letters are not split into base and accent, because the accent's glyph would not map to any text.
 */
function layoutWord(font: Font, word: string): GlyphRun {
  font._glyphs = {}
  const { glyphs, positions } = hasShapedScript(word) ? shape(font, word) : font.layout(word, { ccmp: false })
  const advanceWidth = positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
  return { glyphs: glyphs.map(withCodePoints), positions, advanceWidth }
}

/** OpenType features that place marks on letters. */
const markPlacing = { abvm: false, blwm: false, mark: false, mkmk: false }

/**
 * fontkit fails on letters whose mark has no anchor in the font, as in some Gurmukhi words. Contracts must still render, so such a
 * word is laid out with its marks next to their letters.
 */
function shape(font: Font, word: string): Pick<GlyphRun, 'glyphs' | 'positions'> {
  try {
    return font.layout(word)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return font.layout(word, markPlacing)
  }
}

const zeroWidthSpace = 0x20_0b

/** If a character is drawn with several glyphs, maps every glyph after the first to a zero-width space, because every glyph must map to text. */
function withCodePoints(glyph: Glyph): Glyph {
  return glyph.codePoints.length > 0 ? glyph : Object.create(glyph, { codePoints: { value: [zeroWidthSpace] } })
}
