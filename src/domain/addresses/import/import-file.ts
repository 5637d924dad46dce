import type { Queryable } from '../../../db/database.ts'
import { CsvReader } from './csv-records.ts'
import { ImportSource } from './import-source.ts'
import { type ReadRows, type RowFormat, RowReader } from './row-reader.ts'

const batchSize = 1_000

/** How to import one kind of file: its columns, how to read a row and how to store a batch. */
export interface ImportFormat<Column extends string, Row extends { uprn: string }> extends RowFormat<Column, Row> {
  /** Stores a batch. No UPRN is passed twice during an import. */
  store(db: Queryable, rows: readonly Row[]): Promise<{ inserted: number; updated: number }>
}

/** `rows` is the sum of `rejectedRows` and these counts. */
export interface ImportResult extends ReadRows {
  inserted: number
  updated: number
  unchanged: number
}

export interface ImportProgress {
  /** How many rows have been read. */
  rows: number
  /** How much of the work is done, from 0 to 1; undefined if the size of the file is unknown. */
  done: number | undefined
}

export type OnImportProgress = (progress: ImportProgress) => void

/**
 * Imports the rows of a CSV file (UTF-8), one per UPRN. Stores the valid rows, and rejects each invalid one with a reason. Each
 * batch is a separate transaction, so an import can be interrupted and repeated. Throws `validation_failed`, storing nothing, if the
 * file cannot be read or its header is invalid.
 */
export async function importFile<Column extends string, Row extends { uprn: string }>(
  db: Queryable,
  path: string,
  format: ImportFormat<Column, Row>,
  onProgress: OnImportProgress = () => undefined,
): Promise<ImportResult> {
  const source = new ImportSource(path)
  const size = await source.size()
  const csv = new CsvReader()
  const reader = new RowReader(format)
  const counts = { inserted: 0, updated: 0, unchanged: 0 }
  let waiting: Row[] = []

  async function storeFullBatches(least: number): Promise<void> {
    while (waiting.length >= least && waiting.length > 0) {
      const batch = waiting.slice(0, batchSize)
      waiting = waiting.slice(batchSize)
      const { inserted, updated } = await format.store(db, batch)
      counts.inserted += inserted
      counts.updated += updated
      counts.unchanged += batch.length - inserted - updated
    }
    onProgress({ rows: reader.read.rows - waiting.length, done: size && source.bytesRead / size })
  }

  for await (const { text } of source.pieces()) {
    waiting.push(...reader.push(csv.push(text)))
    if (waiting.length >= batchSize) await storeFullBatches(batchSize)
  }
  waiting.push(...reader.push(csv.end()))
  reader.end()
  await storeFullBatches(0)
  return { ...reader.read, ...counts }
}
