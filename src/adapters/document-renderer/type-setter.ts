import type { FontWeight } from './fonts/font-packages.ts'
import type { PdfFonts } from './pdf-fonts.ts'
import { glyphsRevealText, type TextRun, textRuns } from './text-runs.ts'
import { inVisualOrder, isRightToLeft } from './visual-order.ts'
import { WordCache } from './word-cache.ts'

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
  /** True for a piece of a word that was split because the whole word is wider than a line. Each piece gets a line to itself. */
  alone: boolean
}

const graphemes = new Intl.Segmenter('en-GB', { granularity: 'grapheme' })

/** Measures text and breaks it into lines. Shared by all documents, because it caches measured words. */
export class TypeSetter {
  readonly #fonts: PdfFonts
  readonly #widths = { regular: new WordCache<number>(), strong: new WordCache<number>() }

  constructor(fonts: PdfFonts) {
    this.#fonts = fonts
  }

  /** Lines no wider than `width` points, broken at spaces; words are split only if wider than a line. */
  lines(text: string, style: TextStyle, width: number): TextLine[] {
    const space = this.#widthOf(' ', style)
    const lines: { words: string[]; width: number }[] = []
    for (const word of text.split(' ').flatMap((whole) => this.#fittingParts(whole, style, width))) {
      const wordWidth = this.#widthOf(word.text, style)
      const line = lines.at(-1)
      if (line === undefined || word.alone || line.width + space + wordWidth > width) {
        lines.push({ words: [word.text], width: wordWidth })
      } else {
        line.words.push(word.text)
        line.width += space + wordWidth
      }
    }
    return lines.map((line) => ({ runs: this.#runs(line.words, style), width: line.width }))
  }

  /** Whether the text can be read back from these lines' glyphs: see `glyphsRevealText`. */
  revealsText(text: string): boolean {
    return glyphsRevealText(text, this.#fonts)
  }

  /** Drops these texts from the caches, here and in the fonts. */
  forget(texts: readonly string[]): void {
    const words = texts.flatMap((text) => text.split(' ')).filter((word) => word !== '')
    for (const widths of Object.values(this.#widths)) widths.forget(words)
    this.#fonts.forget(words)
  }

  /** A right-to-left word that no font can shape is not reordered: it is printed as markers, which read from left to right. */
  #runs(words: readonly string[], { weight }: TextStyle): TextRun[] {
    const isReversed = (word: string) => isRightToLeft(word) && this.#fonts.faceFor(word, weight) !== null
    return textRuns(inVisualOrder(words, isReversed).join(' '), weight, this.#fonts)
  }

  #widthOf(word: string, { weight, size }: TextStyle): number {
    const thousandths = this.#widths[weight].recall(word, () =>
      textRuns(word, weight, this.#fonts).reduce((sum, run) => sum + run.face.width(run.text), 0),
    )
    return (thousandths * size) / 1000
  }

  #fittingParts(word: string, style: TextStyle, width: number): Word[] {
    if (this.#widthOf(word, style) <= width) return [{ text: word, alone: false }]
    const parts: string[] = []
    for (const { segment } of graphemes.segment(word)) {
      const longer = `${parts.at(-1) ?? ''}${segment}`
      if (parts.length === 0 || this.#widthOf(longer, style) > width) parts.push(segment)
      else parts[parts.length - 1] = longer
    }
    return parts.map((text) => ({ text, alone: true }))
  }
}
