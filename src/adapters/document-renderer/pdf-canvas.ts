import { colours } from './pdf-style.ts'
import type { TextLine, TextStyle, TypeSetter } from './type-setter.ts'

export type PdfDocument = PDFKit.PDFDocument
export type StructureElement = PDFKit.PDFStructureElement

/** The middle of a line's height to its baseline, in parts of the type size: sets text optically centred. */
const baselineDrop = 0.36

/** Sets type and draws lines on a document's current page. Coordinates are points from the page's top left corner. */
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

  /** A new element of the structure tree, last in its parent. */
  addElement(parent: StructureElement, type: string): StructureElement {
    return this.#add(parent, this.pdf.struct(type))
  }

  /** An element that holds this text; the text itself goes with it where the glyphs do not tell it. */
  addText(parent: StructureElement, type: string, text: string, scope?: 'Row' | 'Column'): StructureElement {
    const actual = this.#typeSetter.tellsText(text) ? {} : { actual: text }
    return this.#add(parent, this.pdf.struct(type, { ...actual, ...(scope === undefined ? {} : { scope }) }))
  }

  #add(parent: StructureElement, element: StructureElement): StructureElement {
    parent.add(element)
    return element
  }

  /** Several texts, each beginning a line of its own. */
  linesOf(texts: readonly string[], style: TextStyle, width: number): TextLine[] {
    return texts.flatMap((text) => this.lines(text, style, width))
  }

  /** Sets lines below one another from `top`; `right` lines them up on their right within `width`. */
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

  /** A hairline of the page's furniture. */
  rule(left: number, top: number, width: number, options: { colour?: string; weight?: number } = {}): void {
    const { colour = colours.rule, weight = 0.6 } = options
    this.pdf
      .lineWidth(weight)
      .moveTo(left, top)
      .lineTo(left + width, top)
      .stroke(colour)
  }

  /** A filled rectangle. */
  fill(left: number, top: number, width: number, height: number, colour: string): void {
    this.pdf.rect(left, top, width, height).fill(colour)
  }

  /** Draws what assistive technology passes over: rules, tints, running heads. */
  artifact(type: 'Layout' | 'Pagination', draw: () => void): void {
    this.pdf.markContent('Artifact', { type })
    draw()
    this.pdf.endMarkedContent()
  }
}
