import { colours } from './pdf-style.ts'
import type { TextLine, TextStyle, TypeSetter } from './type-setter.ts'

export type PdfDocument = PDFKit.PDFDocument
export type StructureElement = PDFKit.PDFStructureElement

/**
 * The distance from the middle of a line to its baseline, as a share of the type size. Used to centre text optically.
 */
const baselineDrop = 0.36

/**
 * Typesets text and draws lines on a document's current page. Coordinates are in points, from the page's top left
 * corner.
 */
export class PdfCanvas {
  readonly pdf: PdfDocument
  readonly #typeSetter: TypeSetter

  constructor(pdf: PdfDocument, typeSetter: TypeSetter) {
    this.pdf = pdf
    this.#typeSetter = typeSetter
  }

  lines(text: string, style: TextStyle, width: number): TextLine[] {
    return this.#typeSetter.lines(text, style, width)
  }

  /** Adds an element as the last child of its parent in the structure tree. */
  addElement(parent: StructureElement, type: string): StructureElement {
    return this.#add(parent, this.pdf.struct(type))
  }

  /**
   * Adds an element for this text. If the text cannot be read back from the glyphs, the element also stores it as
   * characters.
   */
  addText(parent: StructureElement, type: string, text: string, scope?: 'Row' | 'Column'): StructureElement {
    const actual = this.#typeSetter.revealsText(text) ? {} : { actual: text }
    return this.#add(parent, this.pdf.struct(type, { ...actual, ...(scope === undefined ? {} : { scope }) }))
  }

  #add(parent: StructureElement, element: StructureElement): StructureElement {
    parent.add(element)
    return element
  }

  /** Breaks several texts into lines; each text starts a new line. */
  linesOf(texts: readonly string[], style: TextStyle, width: number): TextLine[] {
    return texts.flatMap((text) => this.lines(text, style, width))
  }

  /** Draws lines of text, the first one at `top`. If `right` is set, they are right-aligned within `width`. */
  drawLines(lines: readonly TextLine[], style: TextStyle, left: number, top: number, right?: { width: number }): void {
    for (const [index, line] of lines.entries()) {
      const x = right === undefined ? left : left + right.width - line.width
      this.#drawLine(line, style, x, top + (index + 0.5) * style.leading + baselineDrop * style.size)
    }
  }

  #drawLine(line: TextLine, style: TextStyle, left: number, baseline: number): void {
    let x = left
    this.pdf.fontSize(style.size).fillColor(style.colour)
    for (const { face, text } of line.runs) {
      this.pdf.font(face.font, face.name).text(text, x, baseline, { lineBreak: false, baseline: 'alphabetic' })
      x = this.pdf.x
    }
  }

  /** Draws a thin horizontal line as decoration. */
  rule(left: number, top: number, width: number, options: { colour?: string; weight?: number } = {}): void {
    const { colour = colours.rule, weight = 0.6 } = options
    this.pdf
      .lineWidth(weight)
      .moveTo(left, top)
      .lineTo(left + width, top)
      .stroke(colour)
  }

  /** Draws a filled rectangle. */
  fill(left: number, top: number, width: number, height: number, colour: string): void {
    this.pdf.rect(left, top, width, height).fill(colour)
  }

  /** Draws what assistive technology should skip: rules, tints, running heads. */
  artifact(type: 'Layout' | 'Pagination', draw: () => void): void {
    this.pdf.markContent('Artifact', { type })
    draw()
    this.pdf.endMarkedContent()
  }
}
