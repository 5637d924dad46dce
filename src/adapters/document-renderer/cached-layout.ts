import type { Font, GlyphRun } from 'fontkit'
import { WordMemory } from './word-memory.ts'

/**
 * The font with the layout of words remembered: laying words out is the dearest part of a document. pdfkit rescales a
 * layout's positions in place, so each caller gets its own copy of them.
 */
export function withCachedLayout(font: Font): Font {
  const layouts = new WordMemory<GlyphRun>()
  const layout = (text: string): GlyphRun => {
    const { glyphs, positions } = layouts.recall(text, (word) => font.layout(word))
    const own = positions.map((position) => ({ ...position }))
    return {
      glyphs,
      positions: own,
      get advanceWidth() {
        return own.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
      },
    }
  }
  return Object.create(font, { layout: { value: layout } })
}
