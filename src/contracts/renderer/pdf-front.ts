import type { ContractDocument, KeyFact } from '../document.ts'
import { drawTintedBox, linkPart, textPieces } from './pdf-blocks.ts'
import type { PdfCanvas, StructureElement } from './pdf-canvas.ts'
import type { Part, Piece } from './pdf-flow.ts'
import { colours, contentWidth, page, styles } from './pdf-style.ts'
import type { TextStyle } from './type-setter.ts'

const inset = 16
const columnGap = 20

/**
 * The top of the first page: the mark (only on a sample), the sender, the title, the key facts and the list of
 * sections.
 */
export function frontPieces(canvas: PdfCanvas, parent: StructureElement, document: ContractDocument): Piece[] {
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
