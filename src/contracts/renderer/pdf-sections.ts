import type { Block, Section } from '../document.ts'
import { bulletListPieces, detailsPieces, formPieces, noticePieces, textPieces } from './pdf-blocks.ts'
import type { PdfCanvas, StructureElement } from './pdf-canvas.ts'
import type { Piece } from './pdf-flow.ts'
import { page, styles } from './pdf-style.ts'
import { tablePieces } from './pdf-table.ts'

/** A section with its heading, which is also a bookmark and the target of links to the section. */
export function sectionPieces(canvas: PdfCanvas, parent: StructureElement, section: Section): Piece[] {
  const element = canvas.addElement(parent, 'Sect')
  const heading = textPieces(canvas, element, section.heading, {
    type: 'H2',
    style: styles.section,
    before: 24,
    keepWithNext: true,
  })
  return [
    ...heading.map((piece, line) => (line === 0 ? asTarget(canvas, piece, section) : piece)),
    ...section.blocks.flatMap((block) => blockPieces(canvas, element, block)),
  ]
}

const targetMargin = 12

function asTarget(canvas: PdfCanvas, piece: Piece, { id, heading }: Section): Piece {
  return {
    ...piece,
    artwork: (top) => {
      canvas.pdf.addNamedDestination(id, 'XYZ', 0, top - targetMargin, null)
      canvas.pdf.outline.addItem(heading, { top: top - targetMargin })
      if (top > page.top) canvas.rule(page.left, top - 11, page.width - page.left - page.right)
    },
  }
}

function blockPieces(canvas: PdfCanvas, parent: StructureElement, block: Block): Piece[] {
  switch (block.kind) {
    case 'heading':
      return textPieces(canvas, parent, block.text, {
        type: 'H3',
        style: styles.heading,
        before: 11,
        keepWithNext: true,
      })
    case 'paragraph':
      return textPieces(canvas, parent, block.text, { type: 'P', style: styles.text, before: 5 })
    case 'notice':
      return noticePieces(canvas, parent, block.text)
    case 'list':
      return bulletListPieces(canvas, parent, block)
    case 'details':
      return detailsPieces(canvas, parent, block.items)
    case 'table':
      return tablePieces(canvas, parent, block)
    case 'form':
      return formPieces(canvas, parent, block)
  }
}
