import type { FontWeight } from './fonts/font-packages.ts'
import { hasShapedScript } from './fonts/shaped-script.ts'
import type { PdfFace, PdfFonts } from './pdf-fonts.ts'

/** A run of text in one face. */
export interface TextRun {
  face: PdfFace
  text: string
}

const graphemes = new Intl.Segmenter('en-GB', { granularity: 'grapheme' })

/**
 * Splits text into as few runs as its fonts allow; a user-perceived character stays in one face. A character without a font is
 * never dropped: a marker with its code point, "[U+10380]", replaces it.
 */
export function textRuns(text: string, weight: FontWeight, fonts: PdfFonts): TextRun[] {
  if (text === '') return []
  const main = fonts.faceFor(text, weight)
  if (main !== null) return [{ face: main, text }]
  const runs: TextRun[] = []
  for (const { segment } of graphemes.segment(text)) {
    const face = fonts.faceFor(segment, weight)
    if (face !== null) append(runs, { face, text: segment })
    else for (const character of segment) append(runs, characterRun(character, weight, fonts))
  }
  return runs
}

function characterRun(character: string, weight: FontWeight, fonts: PdfFonts): TextRun {
  const face = fonts.faceFor(character, weight)
  if (face !== null) return { face, text: character }
  const marker = `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
  const markerFace = fonts.faceFor(marker, weight)
  if (markerFace === null) throw new Error('the document fonts have no Latin letters')
  return { face: markerFace, text: marker }
}

function append(runs: TextRun[], run: TextRun): void {
  const last = runs.at(-1)
  if (last?.face === run.face) last.text += run.text
  else runs.push(run)
}

/**
 * Whether the text can be read back from the glyphs alone. It cannot if a marker replaces a character or if shaping joins and
 * reorders letters; then the text is added for screen readers.
 */
export function glyphsRevealText(text: string, fonts: PdfFonts): boolean {
  if (hasShapedScript(text)) return false
  if (fonts.faceFor(text, 'regular') !== null) return true
  return [...new Set(text)].every((character) => fonts.faceFor(character, 'regular') !== null)
}
