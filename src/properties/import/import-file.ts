import { createReadStream, promises } from 'node:fs'
import { type LongSession, withLongSession } from '../../platform/db/long-session.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { CsvReader } from './csv-records.ts'
import type { RowResult } from './import-row.ts'
import { type ImportProblem, type ReadRows, RowReader } from './row-reader.ts'
import {
  copyStagedRows,
  createStagedRows,
  deleteRepeatedRows,
  listSharedMeterPoints,
  type SharedMeterPoint,
  type StagedTable,
  type StoredBatch,
} from './staged-rows.store.ts'

/** Small enough that the database has something to do while the next piece is read. */
const pieceBytes = 256 * 1_024

/**
 * The file of an import, read once from its beginning. Every function throws `validation_failed` if it cannot be read.
 */
class ImportSource {
  readonly path: string
  /** How many bytes come before the next piece. */
  bytesRead = 0

  constructor(path: string) {
    this.path = path
  }

  /** The size of the file in bytes; undefined if it is not a regular file, such as a pipe. */
  async size(): Promise<number | undefined> {
    try {
      const found = await promises.stat(this.path)
      return found.isFile() ? found.size : undefined
    } catch (error) {
      throw this.#unreadable(error)
    }
  }

  /** The text of the file in pieces. */
  async *pieces(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    try {
      for await (const block of createReadStream(this.path, { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>) {
        this.bytesRead += block.length
        yield decoder.decode(block, { stream: true })
      }
    } catch (error) {
      throw this.#unreadable(error)
    }
    yield decoder.decode()
  }

  #unreadable(error: unknown): DomainError {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    const detail = `The file ${this.path} cannot be read (${code}). Check its name and its permissions.`
    return new DomainError('validation_failed', detail, { cause: error })
  }
}

/** How many rows are stored in one transaction. */
const batchRows = 10_000

/** The share of the time that reading the file takes, about. */
const readingShare = 0.4

/** How to import one kind of file: its columns, how to read a row, and how to store rows. */
export interface ImportFormat<Column extends string, Row> {
  columns: readonly Column[]
  /** The columns that a file may leave out. */
  optionalColumns: readonly Column[]
  readRow(text: Record<Column, string>): RowResult<Column, Row>
  staged: StagedTable<Row>
  /**
   * Stores the staged rows that follow this UPRN, at most `limit` and in UPRN order, so that two imports never
   * deadlock.
   */
  storeBatch(session: LongSession, afterUprn: string, limit: number): Promise<StoredBatch>
  /** Why no row of a property was imported that the file gives in several ways; completes "is also on line 5". */
  repeatedReason: string
}

/** `rows` is the sum of `rejectedRows` and these counts. */
export interface ImportResult extends ReadRows {
  inserted: number
  updated: number
  unchanged: number
  /** How many of the rejected rows give a property that another row gives differently. None of them is stored. */
  conflictingRows: number
  /** Meter points of this file that are now stored for several properties: the first 100. */
  sharedMeterPoints: SharedMeterPoint[]
}

export interface ImportProgress {
  /** How many rows have been read. */
  rows: number
  /** How much of the work is done, from 0 to 1; undefined if the size of the file is unknown. */
  done: number | undefined
}

export type OnImportProgress = (progress: ImportProgress) => void

/**
 * Imports the rows of a CSV file (UTF-8), one per UPRN. Stores the valid rows, and rejects each invalid one with a
 * reason: also every row of a property that the file gives in several ways. Rows are copied to a temporary table first,
 * then stored in batches, each its own transaction, so an interrupted import can be repeated. Throws
 * `validation_failed`, storing nothing, if the file cannot be read or its header is invalid.
 */
export async function importFile<Column extends string, Row>(
  connectionString: string,
  path: string,
  format: ImportFormat<Column, Row>,
  onProgress: OnImportProgress = () => undefined,
): Promise<ImportResult> {
  const source = new ImportSource(path)
  const size = await source.size()
  const reader = new RowReader(format)
  const report = (share: number) => onProgress({ rows: reader.read.rows, done: size === undefined ? undefined : share })
  const lines = stagedLines(source, reader, format.staged, () =>
    report((readingShare * source.bytesRead) / Math.max(1, size ?? 1)),
  )
  // The first piece shows whether the file can be read, before anything is created.
  const first = await lines.next()
  return withLongSession(connectionString, async (session) => {
    await createStagedRows(session, format.staged)
    await copyStagedRows(session, prepend(first, lines))
    const repeated = await deleteRepeatedRows(session, format.staged)
    const counts = { inserted: 0, updated: 0, unchanged: 0 }
    const stagedRows = reader.read.rows - reader.read.rejectedRows - repeated.rows
    let storedRows = 0
    for (let afterUprn = ''; storedRows < stagedRows; ) {
      const batch = await format.storeBatch(session, afterUprn, batchRows)
      if (batch.rows === 0) throw new Error('staged rows are missing')
      counts.inserted += batch.inserted
      counts.updated += batch.updated
      counts.unchanged += batch.rows - batch.inserted - batch.updated
      storedRows += batch.rows
      afterUprn = batch.lastUprn
      report(readingShare + ((1 - readingShare) * storedRows) / stagedRows)
    }
    const sharedMeterPoints = await listSharedMeterPoints(session, format.staged)
    const problems = repeated.listed.map((row) => describeRepeated(row, format.repeatedReason))
    return {
      ...reader.withRejected(repeated.rows, problems),
      ...counts,
      conflictingRows: repeated.conflictingRows,
      sharedMeterPoints,
    }
  }).finally(() => lines.return(undefined))
}

/** The valid rows of the file, as lines for COPY. */
async function* stagedLines<Column extends string, Row>(
  source: ImportSource,
  reader: RowReader<Column, Row>,
  staged: StagedTable<Row>,
  onPiece: () => void,
): AsyncGenerator<string> {
  const csv = new CsvReader()
  const asLines = (records: ReturnType<CsvReader['end']>) =>
    reader
      .push(records)
      .map(({ line, row }) => `${line}\t${staged.values(row).map(escaped).join('\t')}\n`)
      .join('')
  for await (const text of source.pieces()) {
    const lines = asLines(csv.push(text))
    if (lines !== '') yield lines
    onPiece()
  }
  const last = asLines(csv.end())
  reader.end()
  yield last
}

async function* prepend(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done !== true) yield first.value
  yield* rest
}

/** A value in the text format of COPY. No value has a control character. */
function escaped(value: string | null): string {
  if (value === null) return '\\N'
  return value.includes('\\') ? value.replaceAll('\\', '\\\\') : value
}

function describeRepeated(
  { line, lines, isConflict }: { line: number; lines: readonly number[]; isConflict: boolean },
  conflict: string,
): ImportProblem {
  const others = lines.filter((each) => each !== line)
  const reason = isConflict
    ? `is also on line ${others.join(', ')}; ${conflict}`
    : `is already on line ${others[0]}; this line was ignored`
  return { line, column: 'uprn', reason }
}
