import type { Font, Glyph, GlyphRun } from 'fontkit'
import { hasShapedScript } from './fonts/shaped-script.ts'
import { WordMemory } from './word-memory.ts'

/** A font that remembers words, and forgets those it is told to. */
export interface RememberingFont {
  font: Font
  forget(words: readonly string[]): void
}

/**
 * The font with the layout of words remembered: laying words out is the dearest part of a document. pdfkit rescales a
 * layout's positions in place, so each caller gets its own copy of them.
 */
export function withCachedLayout(font: Font): RememberingFont {
  const layouts = new WordMemory<Pick<GlyphRun, 'glyphs' | 'positions'>>()
  const layout = (text: string): GlyphRun => {
    const { glyphs, positions } = layouts.recall(text, (word) => layoutWord(font, word))
    const own = positions.map((position) => ({ ...position }))
    return {
      glyphs,
      positions: own,
      get advanceWidth() {
        return own.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
      },
    }
  }
  return {
    font: Object.create(font, { layout: { value: layout } }),
    forget(words) {
      layouts.forget(words)
      font._glyphs = {}
    },
  }
}

/**
 * Lays a word out so that the same word always comes out the same and its text can be read back from the PDF. fontkit
 * remembers a glyph with the character it first stood for, in whatever document that was, so it is made to forget. In
 * scripts of one glyph a letter, letters are not taken apart into base and accent: the accent would stand for nothing.
 */
function layoutWord(font: Font, word: string): Pick<GlyphRun, 'glyphs' | 'positions'> {
  font._glyphs = {}
  const { glyphs, positions } = hasShapedScript(word) ? shape(font, word) : font.layout(word, { ccmp: false })
  return { glyphs: glyphs.map(standingForSomething), positions }
}

/** Features that place marks on their letters. */
const markPlacing = { abvm: false, blwm: false, mark: false, mkmk: false }

/**
 * fontkit fails on letters whose mark has no anchor in the font, as in some Gurmukhi words. A contract cannot fail for that:
 * the word is then laid out with its marks beside their letters.
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

/** What is left of a letter that a script's shaping took apart stands for a character without width. */
function standingForSomething(glyph: Glyph): Glyph {
  return glyph.codePoints.length > 0 ? glyph : Object.create(glyph, { codePoints: { value: [zeroWidthSpace] } })
}
