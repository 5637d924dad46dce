import type { Column, Table } from '../document.ts'
import { textPieces } from './pdf-blocks.ts'
import type { PdfCanvas, StructureElement } from './pdf-canvas.ts'
import type { Part, Piece } from './pdf-flow.ts'
import { colours, contentWidth, page, styles } from './pdf-style.ts'
import type { TextLine, TextStyle } from './type-setter.ts'

const gutter = 16
/** The minimum width of a column of figures. In narrower columns, neighbouring figures would run together. */
const figureWidth = 58
const padding = 3.5
/** The maximum width that a text column may request, so that one long name does not squeeze the other columns. */
const maxRequestedWidth = 240
/** Added to columns that fit their text exactly, so that a rounding error never makes the text wrap. */
const slack = 0.5
/** Tables with at most this many rows stay on one page. */
const keptWhole = 8

interface PlacedColumn extends Column {
  left: number
  width: number
}

type Cells = readonly (readonly TextLine[])[]

/** A table with its caption. The header row is repeated on each further page, but screen readers read it only once. */
export function tablePieces(canvas: PdfCanvas, parent: StructureElement, table: Table): Piece[] {
  const element = canvas.addElement(parent, 'Table')
  const columns = placeColumns(canvas, table)
  const caption = textPieces(canvas, element, table.caption, {
    type: 'Caption',
    style: styles.caption,
    before: 11,
    keepWithNext: true,
  })

  const headings = setCells(
    canvas,
    columns.map(({ heading }) => heading),
    columns,
    styles.columnHeading,
  )
  const headHeight = rowHeight(headings, styles.columnHeading)
  const headRow = canvas.addElement(canvas.addElement(element, 'THead'), 'TR')
  const headParts = headings.map((lines, index) => {
    const cell = canvas.addText(headRow, 'TH', columns[index]?.heading ?? '', 'Column')
    return { element: cell, paint: (top: number) => drawHeading(canvas, lines, columns[index], top + headHeight) }
  })
  const headRule = (top: number) =>
    canvas.rule(page.left, top + headHeight, contentWidth, { colour: colours.accent, weight: 1.2 })
  const head: Piece = { height: headHeight, before: 2, keepWithNext: true, artwork: headRule, parts: headParts }
  const repeated = {
    height: headHeight,
    paint: (top: number) => {
      headRule(top)
      for (const { paint } of headParts) paint(top)
    },
  }

  const body = canvas.addElement(element, 'TBody')
  const rows = table.rows.map((cells, index) => ({
    ...rowPiece(canvas, body, cells, columns, styles.cell),
    repeated,
    keepWithNext: table.rows.length <= keptWhole || index === 0 || index >= table.rows.length - 2,
  }))
  const foot =
    table.total === undefined
      ? []
      : [{ ...rowPiece(canvas, canvas.addElement(element, 'TFoot'), table.total, columns, styles.total), repeated }]
  const pieces = [...rows, ...foot]
  return [
    ...caption,
    head,
    ...pieces.map((row, index) => (index === pieces.length - 1 ? { ...row, keepWithNext: false } : row)),
  ]
}

function rowPiece(
  canvas: PdfCanvas,
  parent: StructureElement,
  texts: readonly string[],
  columns: readonly PlacedColumn[],
  style: TextStyle,
): Piece {
  const row = canvas.addElement(parent, 'TR')
  const cells = setCells(canvas, texts, columns, style)
  const height = rowHeight(cells, style)
  const parts = cells.map((lines, index): Part => {
    const text = texts[index] ?? ''
    const element = index === 0 ? canvas.addText(row, 'TH', text, 'Row') : canvas.addText(row, 'TD', text)
    return { element, paint: (top) => drawCell(canvas, lines, columns[index], style, top + padding) }
  })
  const isTotal = style === styles.total
  return {
    height,
    before: 0,
    keepWithNext: false,
    artwork: (top) =>
      isTotal
        ? canvas.rule(page.left, top, contentWidth, { colour: colours.ink, weight: 0.8 })
        : canvas.rule(page.left, top + height, contentWidth),
    parts,
  }
}

function setCells(
  canvas: PdfCanvas,
  texts: readonly string[],
  columns: readonly PlacedColumn[],
  style: TextStyle,
): Cells {
  return columns.map(({ width }, index) => canvas.lines(texts[index] ?? '', style, width))
}

function rowHeight(cells: Cells, style: TextStyle): number {
  return Math.max(...cells.map(({ length }) => length)) * style.leading + 2 * padding
}

function drawCell(
  canvas: PdfCanvas,
  lines: readonly TextLine[],
  column: PlacedColumn | undefined,
  style: TextStyle,
  top: number,
): void {
  if (column === undefined) return
  const right = column.holds === 'figure' ? { width: column.width } : undefined
  canvas.drawLines(lines, style, column.left, top, right)
}

/** Draws a heading so that its last line sits just above the rule, however many lines it has. */
function drawHeading(
  canvas: PdfCanvas,
  lines: readonly TextLine[],
  column: PlacedColumn | undefined,
  bottom: number,
): void {
  const style = styles.columnHeading
  drawCell(canvas, lines, column, style, bottom - padding - lines.length * style.leading)
}

/** Labels and figures get the width they need; columns of words share the rest in proportion to what they need. */
function placeColumns(canvas: PdfCanvas, table: Table): PlacedColumn[] {
  const wanted = table.columns.map(({ heading, holds }, index) => {
    const cells = [...table.rows, table.total ?? []].map((row) => row[index] ?? '')
    const needed = Math.max(widest(canvas, cells, styles.total), widest(canvas, [heading], styles.columnHeading))
    if (holds === 'words') return { holds, width: Math.min(needed, maxRequestedWidth) }
    return { holds, width: holds === 'figure' ? Math.max(needed, figureWidth) : needed }
  })
  const free = contentWidth - gutter * (table.columns.length - 1)
  const fixed = wanted.reduce((sum, { holds, width }) => (holds === 'words' ? sum : sum + width + slack), 0)
  const requested = wanted.reduce((sum, { holds, width }) => (holds === 'words' ? sum + width : sum), 0)
  let left: number = page.left
  return table.columns.map((column, index) => {
    const { holds, width } = wanted[index] ?? { holds: 'words', width: 0 }
    const placed = { ...column, left, width: holds === 'words' ? ((free - fixed) * width) / requested : width + slack }
    left += placed.width + gutter
    return placed
  })
}

function widest(canvas: PdfCanvas, texts: readonly string[], style: TextStyle): number {
  return Math.max(0, ...texts.map((text) => canvas.lines(text, style, Number.POSITIVE_INFINITY)[0]?.width ?? 0))
}
