import type { Detail } from '../../domain/contracts/document.ts'
import type { PdfCanvas, StructureElement } from './pdf-canvas.ts'
import type { Part, Piece } from './pdf-flow.ts'
import { contentWidth, page, styles } from './pdf-style.ts'
import type { TextLine } from './type-setter.ts'

const gutter = 16
const padding = 3.5

export interface DetailsPlacement {
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
  /** The target of the link: a URL (`address`) or a named destination in this document (`place`). */
  address?: string
  place?: string
}

/** A text link: a separate structure element with the clickable area attached. */
export function linkPart(
  canvas: PdfCanvas,
  parent: StructureElement,
  lines: readonly TextLine[],
  { text, left, paddingTop, contents, address, place }: LinkPlacement,
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
        ...(place === undefined ? {} : { Dest: place }),
        structParent: element,
      })
      // The element must end on the current page, because pdfkit places the link on the page where its element ends.
      element.end()
    },
  }
}
