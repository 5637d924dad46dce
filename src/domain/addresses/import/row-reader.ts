import { DomainError } from '../../../kernel/errors.ts'
import { headerRule, readCsvHeader } from './csv-header.ts'
import type { CsvRecord } from './csv-records.ts'
import type { RowResult } from './import-fields.ts'
import { SeenUprns } from './seen-uprns.ts'

const maxListedProblems = 1_000

/** How to read one kind of file: its columns, and how to read a row. */
export interface RowFormat<Column extends string, Row extends { uprn: string }> {
  columns: readonly Column[]
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

/** Turns the records of a file into valid rows, at most one per UPRN, and lists the reasons why it rejected the others. */
export class RowReader<Column extends string, Row extends { uprn: string }> {
  readonly seen = new SeenUprns()
  readonly read: ReadRows
  /** The names of the columns, as in the file. Undefined until the first record. */
  header: string[] | undefined
  readonly #format: RowFormat<Column, Row>
  #readFields: ((fields: readonly string[]) => Record<Column, string>) | undefined

  constructor(format: RowFormat<Column, Row>) {
    this.#format = format
    this.read = { rows: 0, rejectedRows: 0, rejected: [], problems: 0 }
  }

  /** Continues where another reader stopped. The caller adds the UPRNs that the other one has `seen`. */
  continueFrom(header: string[], read: ReadRows): void {
    this.#setHeader(header)
    Object.assign(this.read, read)
  }

  /** Returns the valid rows. Throws `validation_failed` if the first record is not a valid header. */
  push(records: readonly CsvRecord[]): Row[] {
    const rows: Row[] = []
    for (const record of records) {
      if ('problem' in record) this.#reject(record.line, [{ column: null, reason: record.problem }])
      else if (this.#readFields === undefined) this.#setHeader(record.fields)
      else this.#accept(record.line, this.#readFields, record.fields, rows)
    }
    return rows
  }

  /** Throws `validation_failed` if there was no header. */
  end(): void {
    if (this.#readFields === undefined) throw this.#noHeader()
  }

  #setHeader(header: string[]): void {
    this.#readFields = readCsvHeader(this.#format.columns, header)
    this.header = header
  }

  #accept(
    line: number,
    readFields: (fields: readonly string[]) => Record<Column, string>,
    fields: readonly string[],
    rows: Row[],
  ): void {
    // Skip the empty rows of a spreadsheet.
    if (fields.every((field) => field.trim() === '')) return
    const result = this.#format.readRow(readFields(fields))
    if ('problems' in result) {
      this.#reject(line, result.problems)
      return
    }
    const firstLine = this.seen.firstLine(result.row.uprn, line)
    if (firstLine !== null) {
      const where = firstLine === 0 ? 'an earlier line' : `line ${firstLine}`
      this.#reject(line, [{ column: 'uprn', reason: `is already on ${where}; this line was ignored` }])
      return
    }
    this.read.rows += 1
    rows.push(result.row)
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
    return new DomainError('validation_failed', `The file has no header. ${headerRule(this.#format.columns)}`)
  }
}
