import { once } from 'node:events'
import PDFDocument from 'pdfkit'
import type { Block, ContractDocument, Section } from '../document.ts'
import type { DocumentIdentity } from '../document-renderer.ts'
import { bulletListPieces, detailsPieces, formPieces, noticePieces, textPieces } from './pdf-blocks.ts'
import { PdfCanvas, type PdfDocument, type StructureElement } from './pdf-canvas.ts'
import { PdfFlow, type Piece } from './pdf-flow.ts'
import { frontPieces } from './pdf-front.ts'
import { page, styles } from './pdf-style.ts'
import { tablePieces } from './pdf-table.ts'
import type { TypeSetter } from './type-setter.ts'

/** A section with its heading, which is also a bookmark and the target of links to the section. */
function sectionPieces(canvas: PdfCanvas, parent: StructureElement, section: Section): Piece[] {
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

interface PdfOptions extends DocumentIdentity {
  typeSetter: TypeSetter
}

/**
 * Renders the document as a tagged PDF: a structure tree in reading order, table header cells with a scope, bookmarks,
 * running headers and footers marked as artifacts, and all fonts embedded. Metadata has no personal data; time and ids
 * come from the options, so the same input gives the same bytes.
 */
export async function renderContractPdf(document: ContractDocument, options: PdfOptions): Promise<Buffer> {
  const pdf = newPdf(document, options)
  // `buffer` of node:stream/consumers would make a Blob of them first, which takes a tenth of the time of a document.
  const written: Buffer[] = []
  pdf.on('data', (chunk: Buffer) => written.push(chunk))
  const canvas = new PdfCanvas(pdf, options.typeSetter)
  const flow = new PdfFlow(canvas)
  const root = pdf.struct('Document')
  pdf.addStructure(root)

  flow.place(frontPieces(canvas, root, document))
  for (const section of document.sections) flow.place(sectionPieces(canvas, root, section))
  drawFurniture(canvas, document)
  root.end()
  const finished = once(pdf, 'end')
  pdf.end()
  await finished
  return Buffer.concat(written)
}

function newPdf(document: ContractDocument, { acceptedAt }: DocumentIdentity): PdfDocument {
  const pdf = new PDFDocument({
    size: 'A4',
    // `PdfFlow` places the text; with a margin, pdfkit would also add pages itself.
    margin: 0,
    pdfVersion: '1.7',
    lang: 'en-GB',
    tagged: true,
    displayTitle: true,
    bufferPages: true,
    autoFirstPage: false,
    // Prevents pdfkit from loading a standard font, which would not be embedded.
    font: '',
    info: {
      Title: document.title,
      Subject: document.reference,
      Creator: 'Housebill',
      Producer: 'Housebill',
      CreationDate: acceptedAt,
    },
  })
  // pdfkit's PDF/UA option also writes a CIDSet. A CIDSet is optional, but PDF/UA requires it to be complete, and
  // pdfkit's is not if there are composite glyphs. So leave it out.
  pdf.appendXML(
    '<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"><pdfuaid:part>1</pdfuaid:part></rdf:Description>',
  )
  return pdf
}

/** Draws every page's header and footer, once the number of pages is known. */
function drawFurniture(canvas: PdfCanvas, { issuer, reference, mark }: ContractDocument): void {
  const { pdf } = canvas
  const style = styles.furniture
  const width = page.width - page.left - page.right
  const { count } = pdf.bufferedPageRange()
  for (let index = 0; index < count; index += 1) {
    pdf.switchToPage(index)
    canvas.artifact('Pagination', () => {
      const foot = page.height - 40
      canvas.drawLines(canvas.lines(`${issuer} · ${reference}`, style, width - 80).slice(0, 1), style, page.left, foot)
      canvas.drawLines(canvas.lines(`Page ${index + 1} of ${count}`, style, 80), style, page.left, foot, { width })
      if (mark !== null && index > 0)
        canvas.drawLines(canvas.lines(mark, style, width), style, page.left, 30, { width })
    })
  }
}
