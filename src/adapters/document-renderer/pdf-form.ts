import type { Form } from '../../domain/contracts/document.ts'
import type { PdfCanvas, StructureElement } from './pdf-canvas.ts'
import { detailsPieces } from './pdf-details.ts'
import type { Piece } from './pdf-flow.ts'
import { colours, contentWidth, page, styles } from './pdf-style.ts'
import { textPieces } from './pdf-text-blocks.ts'

const inset = 14
/** The height of a blank field to fill in by hand. */
const blankHeight = 20

/** A framed form, kept on one page so that it can be cut out and sent. */
export function formPieces(canvas: PdfCanvas, parent: StructureElement, form: Form): Piece[] {
  const element = canvas.addElement(parent, 'Div')
  const at = { left: page.left + inset, width: contentWidth - 2 * inset }
  const paragraph = (text: string, before: number) =>
    textPieces(canvas, element, text, { ...at, type: 'P', style: styles.text, before })
  const fields = detailsPieces(
    canvas,
    element,
    form.fields.map(({ label, lines }) => ({ term: label, lines })),
    { ...at, before: 8 },
  )
  const pieces = [
    ...paragraph(form.instruction, inset),
    ...detailsPieces(canvas, element, [{ term: form.addresseeLabel, lines: form.addressee }], { ...at, before: 8 }),
    ...paragraph(form.statement, 10),
    ...fields.map((piece, index) =>
      form.fields[index]?.lines.length === 0 ? withRoomToWrite(canvas, piece, at) : piece,
    ),
  ]
  return pieces.map((piece, index) => framed(canvas, piece, index === 0, index === pieces.length - 1))
}

function withRoomToWrite(canvas: PdfCanvas, piece: Piece, at: { left: number; width: number }): Piece {
  const height = piece.height + blankHeight
  return { ...piece, height, artwork: (top) => canvas.rule(at.left, top + height, at.width, { colour: colours.quiet }) }
}

/** Adds the part of the frame around one piece. The space above the piece becomes part of its height, so that the frame has no gaps. */
function framed(canvas: PdfCanvas, piece: Piece, isFirst: boolean, isLast: boolean): Piece {
  const { before, artwork } = piece
  const height = before + piece.height + (isLast ? inset : 0)
  const right = page.left + contentWidth
  return {
    height,
    before: isFirst ? 10 : 0,
    keepWithNext: !isLast,
    artwork: (top) => {
      const { pdf } = canvas
      pdf.lineWidth(0.8)
      pdf.moveTo(page.left, top).lineTo(page.left, top + height)
      pdf.moveTo(right, top).lineTo(right, top + height)
      if (isFirst) pdf.moveTo(page.left, top).lineTo(right, top)
      if (isLast) pdf.moveTo(page.left, top + height).lineTo(right, top + height)
      pdf.stroke(colours.quiet)
      artwork?.(top + before)
    },
    parts: piece.parts.map((part) => ({ ...part, paint: (top) => part.paint(top + before) })),
  }
}
