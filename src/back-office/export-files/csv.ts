import { byteOrderMark, csvLine } from '../../platform/kernel/csv-line.ts'
import type { ExportFormat, ExportPage, Row } from './export-page.ts'

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
