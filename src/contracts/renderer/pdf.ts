import { once } from 'node:events'
import PDFDocument from 'pdfkit'
import type { Block, ContractDocument, KeyFact, Section } from '../document.ts'
import type { DocumentIdentity } from '../document-renderer.ts'
import {
  bulletListPieces,
  detailsPieces,
  drawTintedBox,
  formPieces,
  linkPart,
  noticePieces,
  textPieces,
} from './pdf-blocks.ts'
import { PdfCanvas, type PdfDocument, type StructureElement } from './pdf-canvas.ts'
import { type Part, PdfFlow, type Piece } from './pdf-flow.ts'
import { colours, contentWidth, page, styles } from './pdf-style.ts'
import { tablePieces } from './pdf-table.ts'
import type { TextStyle, TypeSetter } from './type-setter.ts'

const inset = 16
const columnGap = 20

/**
 * The top of the first page: the mark (only on a sample), the sender, the title, the key facts and the list of
 * sections.
 */
function frontPieces(canvas: PdfCanvas, parent: StructureElement, document: ContractDocument): Piece[] {
  const text = (type: string, content: string, style: TextStyle, before: number) =>
    textPieces(canvas, parent, content, { type, style, before, keepWithNext: true })
  return [
    ...(document.mark === null ? [] : markPieces(canvas, parent, document.mark)),
    ...text('P', document.issuer, styles.issuer, 18),
    ...text('H1', document.title, styles.title, 2),
    ...document.introduction.flatMap((content) => text('P', content, styles.introduction, 7)),
    ...(document.keyFacts === null ? [] : keyFactPieces(canvas, parent, document.keyFacts)),
    ...contentsPieces(canvas, parent, document),
  ]
}

function markPieces(canvas: PdfCanvas, parent: StructureElement, mark: string): Piece[] {
  const height = styles.mark.leading + 10
  const lines = canvas.lines(mark, styles.mark, contentWidth)
  const left = page.left + (contentWidth - (lines[0]?.width ?? 0)) / 2
  return [
    {
      height,
      before: 0,
      keepWithNext: true,
      artwork: (top) => canvas.fill(page.left, top, contentWidth, height, colours.markTint),
      parts: [
        {
          element: canvas.addText(parent, 'P', mark),
          paint: (top) => canvas.drawLines(lines, styles.mark, left, top + 5),
        },
      ],
    },
  ]
}

/** The first fact takes the whole width of the box; the others are placed two to a row. */
function keyFactPieces(
  canvas: PdfCanvas,
  parent: StructureElement,
  { heading: title, facts }: NonNullable<ContractDocument['keyFacts']>,
): Piece[] {
  const section = canvas.addElement(parent, 'Sect')
  const heading = canvas.addText(section, 'H2', title)
  const headingLines = canvas.lines(title, { ...styles.heading, colour: colours.accent }, contentWidth)
  const list = canvas.addElement(section, 'L')
  const [lead, ...others] = facts
  const half = (contentWidth - 2 * inset - columnGap) / 2
  const left = page.left + inset

  const rows: KeyFactColumn[][] =
    lead === undefined ? [] : [[factColumn(canvas, list, lead, left, contentWidth - 2 * inset, styles.factLead)]]
  for (let index = 0; index < others.length; index += 2) {
    rows.push(
      others
        .slice(index, index + 2)
        .map((fact, side) => factColumn(canvas, list, fact, left + side * (half + columnGap), half, styles.factValue)),
    )
  }
  const headingHeight = styles.heading.leading + inset + 5
  return [
    {
      height: headingHeight,
      before: 16,
      keepWithNext: true,
      artwork: (top) => drawTintedBox(canvas, top, headingHeight),
      parts: [
        {
          element: heading,
          paint: (top) =>
            canvas.drawLines(headingLines, { ...styles.heading, colour: colours.accent }, left, top + inset - 2),
        },
      ],
    },
    ...rows.map((columns): Piece => {
      const height = Math.max(...columns.map((column) => column.height)) + 12
      return {
        height,
        before: 0,
        keepWithNext: true,
        artwork: (top) => drawTintedBox(canvas, top, height),
        parts: columns.flatMap(({ parts }) => parts),
      }
    }),
  ]
}

interface KeyFactColumn {
  height: number
  parts: Part[]
}

function factColumn(
  canvas: PdfCanvas,
  list: StructureElement,
  { label, value, note }: KeyFact,
  left: number,
  width: number,
  valueStyle: TextStyle,
): KeyFactColumn {
  const item = canvas.addElement(list, 'LI')
  const labels = canvas.lines(label, styles.factLabel, width)
  const values = canvas.lines(value, valueStyle, width)
  const notes = canvas.lines(note, styles.factNote, width)
  const valueTop = labels.length * styles.factLabel.leading
  const noteTop = valueTop + values.length * valueStyle.leading + 1
  const labelElement = canvas.addText(item, 'Lbl', label)
  const body = canvas.addElement(item, 'LBody')
  return {
    height: noteTop + notes.length * styles.factNote.leading,
    parts: [
      { element: labelElement, paint: (top) => canvas.drawLines(labels, styles.factLabel, left, top) },
      {
        element: canvas.addText(body, 'P', value),
        paint: (top) => canvas.drawLines(values, valueStyle, left, top + valueTop),
      },
      {
        element: canvas.addText(body, 'P', note),
        paint: (top) => canvas.drawLines(notes, styles.factNote, left, top + noteTop),
      },
    ],
  }
}

/** The list of sections in two columns, each linked to its page. */
function contentsPieces(canvas: PdfCanvas, parent: StructureElement, document: ContractDocument): Piece[] {
  const heading = textPieces(canvas, parent, document.contentsHeading, {
    type: 'H2',
    style: styles.heading,
    before: 20,
    keepWithNext: true,
  })
  const list = canvas.addElement(parent, 'L')
  const perColumn = Math.ceil(document.sections.length / 2)
  const columnWidth = (contentWidth - columnGap) / 2
  const rowHeight = styles.link.leading + 2.5
  const parts = document.sections.map((section, index) => {
    const body = canvas.addElement(canvas.addElement(list, 'LI'), 'LBody')
    return linkPart(canvas, body, canvas.lines(section.heading, styles.link, columnWidth), {
      left: page.left + (index < perColumn ? 0 : columnWidth + columnGap),
      paddingTop: (index % perColumn) * rowHeight,
      text: section.heading,
      contents: section.heading,
      destination: section.id,
    })
  })
  return [...heading, { height: perColumn * rowHeight, before: 4, keepWithNext: false, parts }]
}

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
