import type { ExportFormat, ExportPage, Row } from './export-page.ts'

/** The byte order mark with which Excel reads a file as UTF-8. */
const byteOrderMark = '\uFEFF'

/**
 * One line of CSV (RFC 4180), safe to open in a spreadsheet: a cell that it would run as a formula begins with an
 * apostrophe.
 */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: string | number | boolean | null): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  const safe = couldBeFormula(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * Spreadsheets skip what is invisible and read full-width characters as plain ones. A phone number in E.164 only has
 * digits.
 */
function couldBeFormula(cell: string): boolean {
  if (/^\+\d+$/.test(cell)) return false
  return /^[=+\-@]/.test(cell.normalize('NFKC').replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, ''))
}

/** A part of a file's text, with what it was made from. The first and the last part are without lines. */
interface ExportText {
  text: string
  lines: number
  /** The page that the text is of; undefined for the beginning and the end. */
  page: ExportPage | undefined
}

/** Writes pages as text. Every line has every column. `bom` begins CSV with a byte order mark. */
export async function* exportText(
  pages: AsyncIterable<ExportPage>,
  columns: readonly string[],
  format: ExportFormat,
  { bom = false }: { bom?: boolean | undefined } = {},
): AsyncGenerator<ExportText> {
  const cells = (row: Row) => columns.map((column) => row[column] ?? null)
  const object = (row: Row) =>
    JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))
  const { head, tail } = {
    csv: { head: `${bom ? byteOrderMark : ''}${csvLine(columns)}`, tail: '' },
    ndjson: { head: '', tail: '' },
    json: { head: '[', tail: ']\n' },
  }[format]
  yield { text: head, lines: 0, page: undefined }
  let isFirst = true
  for await (const page of pages) {
    const written = page.rows.map((row) => {
      if (format === 'csv') return csvLine(cells(row))
      if (format === 'ndjson') return `${object(row)}\n`
      const separator = isFirst ? '\n' : ',\n'
      isFirst = false
      return `${separator}${object(row)}`
    })
    yield { text: written.join(''), lines: page.rows.length, page }
  }
  yield { text: tail, lines: 0, page: undefined }
}
