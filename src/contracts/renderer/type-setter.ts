import type { FontWeight } from './font-library.ts'
import { hasShapedScript, type PdfFace, type PdfFonts } from './pdf-fonts.ts'

export interface TextStyle {
  weight: FontWeight
  /** The type size in points. */
  size: number
  /** The distance from one baseline to the next in points. */
  leading: number
  colour: string
}

export interface TextLine {
  runs: readonly TextRun[]
  /** The width of the line in points. */
  width: number
}

interface Word {
  text: string
  /** In points. */
  width: number
  /**
   * True for a piece of a word that was split because the whole word is wider than a line. Each piece gets a line to
   * itself.
   */
  alone: boolean
}

const graphemes = new Intl.Segmenter('en-GB', { granularity: 'grapheme' })

/** Measures text and breaks it into lines. */
export class TypeSetter {
  readonly #fonts: PdfFonts

  constructor(fonts: PdfFonts) {
    this.#fonts = fonts
  }

  /** Lines no wider than `width` points, broken at spaces; words are split only if wider than a line. */
  lines(text: string, style: TextStyle, width: number): TextLine[] {
    const space = this.#widthOf(' ', style)
    const lines: { words: string[]; width: number }[] = []
    for (const word of text.split(' ').flatMap((whole) => this.#fittingParts(whole, style, width))) {
      const line = lines.at(-1)
      if (line === undefined || word.alone || line.width + space + word.width > width) {
        lines.push({ words: [word.text], width: word.width })
      } else {
        line.words.push(word.text)
        line.width += space + word.width
      }
    }
    return lines.map((line) => ({ runs: this.#runs(line.words, style), width: line.width }))
  }

  /** Whether the text can be read back from these lines' glyphs: see `glyphsRevealText`. */
  revealsText(text: string): boolean {
    return glyphsRevealText(text, this.#fonts)
  }

  /**
   * A right-to-left word that no font can shape is not reordered: it is printed as markers, which read from left to
   * right.
   */
  #runs(words: readonly string[], { weight }: TextStyle): TextRun[] {
    const isReversed = (word: string) => isRightToLeft(word) && this.#fonts.faceFor(word, weight) !== null
    return textRuns(inVisualOrder(words, isReversed).join(' '), weight, this.#fonts)
  }

  #widthOf(word: string, { weight, size }: TextStyle): number {
    const runs = textRuns(word, weight, this.#fonts)
    return (runs.reduce((sum, run) => sum + run.face.width(run.text), 0) * size) / 1000
  }

  #fittingParts(word: string, style: TextStyle, width: number): Word[] {
    const wordWidth = this.#widthOf(word, style)
    if (wordWidth <= width) return [{ text: word, width: wordWidth, alone: false }]
    const parts: string[] = []
    for (const { segment } of graphemes.segment(word)) {
      const longer = `${parts.at(-1) ?? ''}${segment}`
      if (parts.length === 0 || this.#widthOf(longer, style) > width) parts.push(segment)
      else parts[parts.length - 1] = longer
    }
    return parts.map((text) => ({ text, width: this.#widthOf(text, style), alone: true }))
  }
}

/** A run of text in one face. */
interface TextRun {
  face: PdfFace
  text: string
}

/**
 * Splits text into as few runs as its fonts allow; a user-perceived character stays in one face. A character without a
 * font is never dropped: a marker with its code point, "[U+10380]", replaces it.
 */
function textRuns(text: string, weight: FontWeight, fonts: PdfFonts): TextRun[] {
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
 * Whether the text can be read back from the glyphs alone. It cannot if a marker replaces a character or if shaping
 * joins and reorders letters; then the text is added for screen readers.
 */
function glyphsRevealText(text: string, fonts: PdfFonts): boolean {
  if (hasShapedScript(text)) return false
  if (fonts.faceFor(text, 'regular') !== null) return true
  return [...new Set(text)].every((character) => fonts.faceFor(character, 'regular') !== null)
}

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Whether a word has letters of a right-to-left script. */
function isRightToLeft(word: string): boolean {
  return rightToLeft.test(word)
}

/**
 * The words of a line in visual order, left to right: runs of right-to-left words are reversed. The font's shaping
 * orders the letters within a word.
 */
function inVisualOrder(words: readonly string[], isReversed: (word: string) => boolean): string[] {
  const ordered: string[] = []
  let reversed: string[] = []
  for (const word of words) {
    if (isReversed(word)) {
      reversed.unshift(word)
    } else {
      ordered.push(...reversed, word)
      reversed = []
    }
  }
  return [...ordered, ...reversed]
}
