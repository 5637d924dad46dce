import type { List } from '../../domain/contracts/document.ts'
import type { PdfCanvas, StructureElement } from './pdf-canvas.ts'
import type { Piece } from './pdf-flow.ts'
import { colours, contentWidth, page, styles } from './pdf-style.ts'
import type { TextLine, TextStyle } from './type-setter.ts'

export interface TextPlacement {
  /** The structure element's type: P, H2, Caption. */
  type: string
  style: TextStyle
  before: number
  left?: number
  width?: number
  /** Keeps the whole text on the same page as what follows; for headings and captions. */
  keepWithNext?: boolean
  artwork?(top: number): void
}

/** Turns a text into pieces of one line each. The text may break across pages, but never leaves a single line on either side. */
export function textPieces(canvas: PdfCanvas, parent: StructureElement, text: string, at: TextPlacement): Piece[] {
  const element = canvas.addText(parent, at.type, text)
  const { style, before, left = page.left, width = contentWidth, keepWithNext = false, artwork } = at
  const lines = canvas.lines(text, style, width)
  return lines.map((line, index) => ({
    height: style.leading,
    before: index === 0 ? before : 0,
    keepWithNext: holdsNext(index, lines) || (keepWithNext && index === lines.length - 1),
    ...(artwork === undefined ? {} : { artwork }),
    parts: [{ element, paint: (top) => canvas.drawLines([line], style, left, top) }],
  }))
}

function holdsNext(index: number, lines: readonly TextLine[]): boolean {
  const last = lines.length - 1
  return (index === 0 && last > 0) || index === last - 1
}

const barWidth = 3
const noticePadding = 12

/** A tinted paragraph with a bar on its left. */
export function noticePieces(canvas: PdfCanvas, parent: StructureElement, text: string): Piece[] {
  const style = styles.text
  const lines = canvas.lines(text, style, contentWidth - 2 * noticePadding)
  const height = lines.length * style.leading + 2 * noticePadding - 6
  const element = canvas.addText(parent, 'P', text)
  return [
    {
      height,
      before: 8,
      keepWithNext: false,
      artwork: (top) => drawTintedBox(canvas, top, height),
      parts: [
        {
          element,
          paint: (top) => canvas.drawLines(lines, style, page.left + noticePadding, top + noticePadding - 3),
        },
      ],
    },
  ]
}

/** Draws the tint and the bar behind important text. */
export function drawTintedBox(canvas: PdfCanvas, top: number, height: number): void {
  canvas.fill(page.left, top, contentWidth, height, colours.tint)
  canvas.fill(page.left, top, barWidth, height, colours.accent)
}

const bulletIndent = 14

export function bulletListPieces(canvas: PdfCanvas, parent: StructureElement, list: List): Piece[] {
  const listElement = canvas.addElement(parent, 'L')
  return list.items.flatMap((item, index) => {
    const pieces = textPieces(canvas, canvas.addElement(listElement, 'LI'), item, {
      type: 'LBody',
      style: styles.text,
      before: index === 0 ? 6 : 4,
      left: page.left + bulletIndent,
      width: contentWidth - bulletIndent,
    })
    const bullet = (top: number) => canvas.pdf.circle(page.left + 4, top + 7.5, 1.7).fill(colours.accent)
    return pieces.map((piece, line) => (line === 0 ? { ...piece, artwork: bullet } : piece))
  })
}
