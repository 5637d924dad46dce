import { createReadStream } from 'node:fs'
import type { Queryable } from '../../../db/database.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { headerRule, readCsvHeader } from './csv-header.ts'
import { readCsvRecords } from './csv-records.ts'
import type { RowResult } from './import-fields.ts'
import { SeenUprns } from './seen-uprns.ts'

const batchSize = 1_000
const maxListedProblems = 1_000

/** How to import one kind of file: its columns, how to read a row and how to store a batch. */
export interface ImportFormat<Column extends string, Row extends { uprn: string }> {
  columns: readonly Column[]
  readRow(text: Record<Column, string>): RowResult<Column, Row>
  /** Stores a batch. No UPRN is passed twice during an import. */
  store(db: Queryable, rows: readonly Row[]): Promise<{ inserted: number; updated: number }>
}

export interface ImportProblem {
  line: number
  /** The column with the invalid value; null if the whole row cannot be read. */
  column: string | null
  reason: string
}

export interface ImportResult {
  /** The number of rows below the header: the sum of the next four counts. */
  rows: number
  inserted: number
  updated: number
  unchanged: number
  rejectedRows: number
  /** Why rows were rejected: one entry per invalid field, in file order. Contains at most the first 1,000 entries. */
  rejected: ImportProblem[]
  /** How many entries `rejected` would have without its limit. */
  problems: number
}

/**
 * Imports the rows of a CSV file (UTF-8), one per UPRN. Stores the valid rows, and rejects each invalid one with a reason. Each
 * batch is a separate transaction, so an import can be interrupted and repeated. Calls `onProgress` with the number of rows read so
 * far. Throws `validation_failed`, storing nothing, if the file cannot be read or its header is invalid.
 */
export async function importFile<Column extends string, Row extends { uprn: string }>(
  db: Queryable,
  path: string,
  kind: ImportFormat<Column, Row>,
  onProgress: (rows: number) => void = () => undefined,
): Promise<ImportResult> {
  const importing = new Import(db, kind)
  for await (const record of readCsvRecords(textOf(path))) {
    if ('problem' in record) importing.reject(record.line, [{ column: null, reason: record.problem }])
    else importing.accept(record.line, record.fields)
    if (importing.batchIsFull) onProgress(await importing.flush())
  }
  onProgress(await importing.flush())
  return importing.finish()
}

/** An import in progress. */
class Import<Column extends string, Row extends { uprn: string }> {
  readonly #db: Queryable
  readonly #kind: ImportFormat<Column, Row>
  readonly #seen = new SeenUprns()
  readonly #result: ImportResult = {
    rows: 0,
    inserted: 0,
    updated: 0,
    unchanged: 0,
    rejectedRows: 0,
    rejected: [],
    problems: 0,
  }
  #readFields: ((fields: readonly string[]) => Record<Column, string>) | undefined
  #batch: Row[] = []

  constructor(db: Queryable, kind: ImportFormat<Column, Row>) {
    this.#db = db
    this.#kind = kind
  }

  get batchIsFull(): boolean {
    return this.#batch.length >= batchSize
  }

  accept(line: number, fields: string[]): void {
    if (this.#readFields === undefined) {
      this.#readFields = readCsvHeader(this.#kind.columns, fields)
      return
    }
    // Skip the empty rows of a spreadsheet.
    if (fields.every((field) => field.trim() === '')) return
    const read = this.#kind.readRow(this.#readFields(fields))
    if ('problems' in read) {
      this.reject(line, read.problems)
      return
    }
    const firstLine = this.#seen.firstLine(read.row.uprn, line)
    if (firstLine !== null) {
      this.reject(line, [{ column: 'uprn', reason: `is already on line ${firstLine}; this line was ignored` }])
      return
    }
    this.#result.rows += 1
    this.#batch.push(read.row)
  }

  reject(line: number, problems: { column: string | null; reason: string }[]): void {
    if (this.#readFields === undefined) throw this.#noHeader()
    this.#result.rows += 1
    this.#result.rejectedRows += 1
    this.#result.problems += problems.length
    const room = maxListedProblems - this.#result.rejected.length
    this.#result.rejected.push(...problems.slice(0, room).map((problem) => ({ line, ...problem })))
  }

  async flush(): Promise<number> {
    if (this.#batch.length > 0) {
      const { inserted, updated } = await this.#kind.store(this.#db, this.#batch)
      this.#result.inserted += inserted
      this.#result.updated += updated
      this.#result.unchanged += this.#batch.length - inserted - updated
      this.#batch = []
    }
    return this.#result.rows
  }

  finish(): ImportResult {
    if (this.#readFields === undefined) throw this.#noHeader()
    return this.#result
  }

  #noHeader(): DomainError {
    return new DomainError('validation_failed', `The file has no header. ${headerRule(this.#kind.columns)}`)
  }
}

async function* textOf(path: string): AsyncGenerator<string> {
  try {
    yield* createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    const detail = `The file ${path} cannot be read (${code}). Check its name and its permissions.`
    throw new DomainError('validation_failed', detail, { cause: error })
  }
}
