import type { Detail, Form, List } from '../document.ts'
import type { PdfCanvas, StructureElement } from './pdf-canvas.ts'
import type { Part, Piece } from './pdf-flow.ts'
import { colours, contentWidth, page, styles } from './pdf-style.ts'
import type { TextLine, TextStyle } from './type-setter.ts'

interface TextPlacement {
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

/**
 * Turns a text into pieces of one line each. The text may break across pages, but never leaves a single line on either
 * side.
 */
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

const gutter = 16
const padding = 3.5

interface DetailsPlacement {
  left: number
  width: number
  /** Space above the first item. */
  before: number
}

const acrossThePage: DetailsPlacement = { left: page.left, width: contentWidth, before: 4 }

/** A definition list: terms on the left, values on the right, separated by rules. */
export function detailsPieces(
  canvas: PdfCanvas,
  parent: StructureElement,
  items: readonly Detail[],
  at: DetailsPlacement = acrossThePage,
): Piece[] {
  const list = canvas.addElement(parent, 'L')
  const termWidth = Math.round(at.width * 0.27)
  const valueLeft = at.left + termWidth + gutter
  return items.map(({ term, lines, link }, index) => {
    const termLines = canvas.lines(term, styles.term, termWidth)
    const valueLines = canvas.linesOf(lines, styles.text, at.width - termWidth - gutter)
    const height = Math.max(termLines.length, valueLines.length, 1) * styles.text.leading + 2 * padding
    const item = canvas.addElement(list, 'LI')
    const label: Part = {
      element: canvas.addText(item, 'Lbl', term),
      paint: (top) => canvas.drawLines(termLines, styles.term, at.left, top + padding),
    }
    const body = valueLines.length > 0 ? [valuePart(canvas, item, lines.join(' '), valueLines, valueLeft, link)] : []
    return {
      height,
      before: index === 0 ? at.before : 0,
      keepWithNext: false,
      ...(index < items.length - 1 ? { artwork: (top) => canvas.rule(at.left, top + height, at.width) } : {}),
      parts: [label, ...body],
    }
  })
}

function valuePart(
  canvas: PdfCanvas,
  item: StructureElement,
  text: string,
  lines: readonly TextLine[],
  left: number,
  link: string | undefined,
): Part {
  if (link === undefined) {
    const element = canvas.addText(item, 'LBody', text)
    return { element, paint: (top) => canvas.drawLines(lines, styles.text, left, top + padding) }
  }
  const body = canvas.addElement(item, 'LBody')
  return linkPart(canvas, body, lines, { text, left, paddingTop: padding, contents: link, address: link })
}

interface LinkPlacement {
  /** The link's whole text, not broken into `lines`. */
  text: string
  left: number
  paddingTop: number
  /** Describes the link for assistive technology. */
  contents: string
  /** The target of the link: a URL (`address`) or a named destination in this document (`destination`). */
  address?: string
  destination?: string
}

/** A text link: a separate structure element with the clickable area attached. */
export function linkPart(
  canvas: PdfCanvas,
  parent: StructureElement,
  lines: readonly TextLine[],
  { text, left, paddingTop, contents, address, destination }: LinkPlacement,
): Part {
  const { pdf } = canvas
  const style = styles.link
  const element = canvas.addText(parent, 'Link', text)
  const width = Math.max(0, ...lines.map((line) => line.width))
  return {
    element,
    paint: (top) => canvas.drawLines(lines, style, left, top + paddingTop),
    attach: (top) => {
      const action = address === undefined ? undefined : pdf.ref({ S: 'URI', URI: Object(address) })
      action?.end(null)
      pdf.annotate(left, top + paddingTop, width, lines.length * style.leading, {
        Subtype: 'Link',
        Contents: Object(contents),
        ...(action === undefined ? {} : { A: action }),
        ...(destination === undefined ? {} : { Dest: destination }),
        structParent: element,
      })
      // The element must end on the current page, because pdfkit places the link on the page where its element ends.
      element.end()
    },
  }
}

const formInset = 14
/** The height of a blank field to fill in by hand. */
const blankHeight = 20

/** A framed form, kept on one page so that it can be cut out and sent. */
export function formPieces(canvas: PdfCanvas, parent: StructureElement, form: Form): Piece[] {
  const element = canvas.addElement(parent, 'Div')
  const at = { left: page.left + formInset, width: contentWidth - 2 * formInset }
  const paragraph = (text: string, before: number) =>
    textPieces(canvas, element, text, { ...at, type: 'P', style: styles.text, before })
  const fields = detailsPieces(
    canvas,
    element,
    form.fields.map(({ label, lines }) => ({ term: label, lines })),
    { ...at, before: 8 },
  )
  const pieces = [
    ...paragraph(form.instruction, formInset),
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

/**
 * Adds the part of the frame around one piece. The space above the piece becomes part of its height, so that the frame
 * has no gaps.
 */
function framed(canvas: PdfCanvas, piece: Piece, isFirst: boolean, isLast: boolean): Piece {
  const { before, artwork } = piece
  const height = before + piece.height + (isLast ? formInset : 0)
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
