import { DomainError } from '../../platform/kernel/errors.ts'
import type { CsvRecord } from './csv-records.ts'
import type { RowResult } from './import-row.ts'

/**
 * Reads a header, which must name every column exactly once, in any order; it may leave out `optional` ones. Returns a
 * function that reads a row's fields by column. Throws `validation_failed` naming missing, unknown and repeated columns, because rows read under a wrong
 * header would overwrite correct data.
 * @internal Tests read generated files with it.
 */
export function readCsvHeader<Column extends string>(
  columns: readonly Column[],
  header: readonly string[],
  optional: readonly Column[] = [],
): (fields: readonly string[]) => Record<Column, string> {
  const names = header.map((name) => name.trim())
  if (names.some((name) => name.includes('\0') || name.includes('\ufffd'))) {
    throw new DomainError('validation_failed', 'The file is not UTF-8 text. Save it as CSV UTF-8 and import it again.')
  }
  const known = [...columns, ...optional]
  const unknown = names.filter((name) => !known.some((column) => column === name))
  const repeated = known.filter((column) => names.filter((name) => name === column).length > 1)
  const missing = columns.filter((column) => !names.includes(column))
  const problems = [
    unknown.length > 0 && `unknown column ${quoted(unknown)}`,
    repeated.length > 0 && `repeated column ${quoted(repeated)}`,
    missing.length > 0 && `missing column ${quoted(missing)}`,
  ].filter((problem) => problem !== false)
  if (problems.length > 0) {
    const detail = `The header is invalid: ${problems.join('; ')}. ${headerRule(columns, optional)}`
    throw new DomainError('validation_failed', detail)
  }
  const places = known.map((column) => [column, names.indexOf(column)] as const)
  return (fields) => {
    const text = {} as Record<Column, string>
    for (const [column, place] of places) text[column] = fields[place] ?? ''
    return text
  }
}

/** The sentence that error messages use to say what the header must contain. */
function headerRule(columns: readonly string[], optional: readonly string[]): string {
  const further = optional.length === 0 ? '' : ` It may also name ${optional.join(',')}.`
  return `The first line must name these columns, in any order: ${columns.join(',')}.${further}`
}

function quoted(names: readonly string[]): string {
  return names
    .slice(0, 10)
    .map((name) => `"${name.slice(0, 40)}"`)
    .join(', ')
}

export const maxListedProblems = 1_000

/** How to read one kind of file: its columns, and how to read a row. */
interface RowFormat<Column extends string, Row> {
  columns: readonly Column[]
  optionalColumns: readonly Column[]
  readRow(text: Record<Column, string>): RowResult<Column, Row>
}

export interface ImportProblem {
  line: number
  /** The column with the invalid value; null if the whole row cannot be read. */
  column: string | null
  reason: string
}

/** The rows of a file that were read so far. */
export interface ReadRows {
  /** The number of rows below the header. */
  rows: number
  rejectedRows: number
  /** Why rows were rejected: one entry per invalid field, in file order. Contains at most the first 1,000 entries. */
  rejected: ImportProblem[]
  /** How many entries `rejected` would have without its limit. */
  problems: number
}

/** A valid row, and the line on which it begins. */
interface ReadRow<Row> {
  line: number
  row: Row
}

/** Turns the records of a file into valid rows, and lists the reasons why it rejected the others. */
export class RowReader<Column extends string, Row> {
  readonly read: ReadRows
  readonly #format: RowFormat<Column, Row>
  #readFields: ((fields: readonly string[]) => Record<Column, string>) | undefined

  constructor(format: RowFormat<Column, Row>) {
    this.#format = format
    this.read = { rows: 0, rejectedRows: 0, rejected: [], problems: 0 }
  }

  /** Returns the valid rows. Throws `validation_failed` if the first record is not a valid header. */
  push(records: readonly CsvRecord[]): ReadRow<Row>[] {
    const rows: ReadRow<Row>[] = []
    for (const record of records) {
      if ('problem' in record) this.#reject(record.line, [{ column: null, reason: record.problem }])
      else if (this.#readFields === undefined)
        this.#readFields = readCsvHeader(this.#format.columns, record.fields, this.#format.optionalColumns)
      else this.#accept(record.line, this.#readFields(record.fields), record.fields, rows)
    }
    return rows
  }

  /** Throws `validation_failed` if there was no header. */
  end(): void {
    if (this.#readFields === undefined) throw this.#noHeader()
  }

  /** What was read, with this many valid rows rejected after all; `listed` are the first of their problems. */
  withRejected(rows: number, listed: readonly ImportProblem[]): ReadRows {
    const rejected = [...this.read.rejected, ...listed].sort((a, b) => a.line - b.line).slice(0, maxListedProblems)
    return {
      rows: this.read.rows,
      rejectedRows: this.read.rejectedRows + rows,
      rejected,
      problems: this.read.problems + rows,
    }
  }

  #accept(line: number, text: Record<Column, string>, fields: readonly string[], rows: ReadRow<Row>[]): void {
    // Skip the empty rows of a spreadsheet.
    if (fields.every((field) => field.trim() === '')) return
    const result = this.#format.readRow(text)
    if ('problems' in result) {
      this.#reject(line, result.problems)
      return
    }
    this.read.rows += 1
    rows.push({ line, row: result.row })
  }

  #reject(line: number, problems: { column: string | null; reason: string }[]): void {
    if (this.#readFields === undefined) throw this.#noHeader()
    this.read.rows += 1
    this.read.rejectedRows += 1
    this.read.problems += problems.length
    const room = maxListedProblems - this.read.rejected.length
    this.read.rejected.push(...problems.slice(0, room).map((problem) => ({ line, ...problem })))
  }

  #noHeader(): DomainError {
    const { columns, optionalColumns } = this.#format
    return new DomainError('validation_failed', `The file has no header. ${headerRule(columns, optionalColumns)}`)
  }
}
