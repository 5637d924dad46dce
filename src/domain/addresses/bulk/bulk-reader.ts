import type { Queryable } from '../../../db/database.ts'
import { CsvReader } from '../import/csv-records.ts'
import { importColumns } from '../import/import-columns.ts'
import type { ImportResult } from '../import/import-file.ts'
import { type ImportedProperty, readImportRow } from '../import/import-row.ts'
import type { FilePiece, ImportSource } from '../import/import-source.ts'
import { RowReader } from '../import/row-reader.ts'
import {
  contentOf,
  copyLine,
  listNextUprns,
  listStoredProperties,
  type StoredProperty,
} from './next-properties.store.ts'
import type { UnfinishedImport } from './property-imports.store.ts'

/** Reads a file of properties in batches of lines for COPY, and compares each row with what is stored. */
export class BulkReader {
  readonly #db: Queryable
  readonly #batchBytes: number
  readonly #source: ImportSource
  readonly #rows = new RowReader({ columns: importColumns, readRow: readImportRow })
  readonly #counts = { inserted: 0, updated: 0, unchanged: 0 }
  /** When the properties of this import changed. */
  readonly #importedAt = new Date().toISOString()
  #csv = new CsvReader()
  #pieces: AsyncGenerator<FilePiece> | undefined
  /** Rows that were read with the header. */
  #firstRows: ImportedProperty[] = []
  isFinished = false

  constructor({ db, batchBytes }: { db: Queryable; batchBytes: number }, source: ImportSource) {
    this.#db = db
    this.#batchBytes = batchBytes
    this.#source = source
  }

  get result(): ImportResult {
    return { ...this.#rows.read, ...this.#counts }
  }

  /** What an interrupted import needs to continue after the last batch. */
  get progress(): UnfinishedImport {
    const { bytesRead, sha256 } = this.#source
    const header = this.#rows.header ?? null
    return { bytesRead, sha256, header, linesRead: this.#csv.lines, result: this.result, isCarried: false }
  }

  /** Continues after the last batch of an interrupted import. The source is already at that place. */
  async continueFrom(session: Queryable, { header, linesRead, result }: UnfinishedImport): Promise<void> {
    const { inserted, updated, unchanged, ...read } = result
    Object.assign(this.#counts, { inserted, updated, unchanged })
    if (header === null) return
    this.#csv = new CsvReader({ lines: linesRead, width: header.length })
    this.#rows.continueFrom(header, read)
    for await (const uprns of listNextUprns(session)) for (const uprn of uprns) this.#rows.seen.firstLine(uprn, 0)
  }

  /** Reads the beginning of the file. Throws `validation_failed` if it has no valid header. */
  async readHeader(): Promise<void> {
    while (this.#rows.header === undefined && !this.isFinished) this.#firstRows = (await this.#read()).rows
  }

  /**
   * The next batch, for `copyNextProperties`. It ends where reading can continue. The stored properties of a piece are requested before
   * the lines of the previous piece are passed on, so that the database seldom waits.
   */
  async *batch(): AsyncGenerator<string> {
    const from = this.#source.bytesRead
    let lines = this.#compare(this.#firstRows)
    this.#firstRows = []
    for (let isComplete = false; !isComplete && !this.isFinished; ) {
      const { rows, endsRecord } = await this.#read()
      const following = this.#compare(rows)
      // If the lines before it fail, nobody awaits it.
      following.catch(() => undefined)
      yield await lines
      lines = following
      isComplete = endsRecord && this.#source.bytesRead - from >= this.#batchBytes
    }
    yield await lines
  }

  /** Reads one piece: its valid rows, and whether reading can continue behind it. */
  async #read(): Promise<{ rows: ImportedProperty[]; endsRecord: boolean }> {
    this.#pieces ??= this.#source.pieces()
    const { value: piece, done } = await this.#pieces.next()
    if (done !== true) {
      const rows = this.#rows.push(this.#csv.push(piece.text))
      return { rows, endsRecord: piece.endsLine && this.#csv.isBetweenRecords }
    }
    const rows = this.#rows.push(this.#csv.end())
    this.#rows.end()
    this.isFinished = true
    return { rows, endsRecord: true }
  }

  /** Compares rows with what is stored, and returns their lines. */
  async #compare(rows: readonly ImportedProperty[]): Promise<string> {
    if (rows.length === 0) return ''
    const uprns = rows.map(({ uprn }) => uprn)
    const stored = new Map((await listStoredProperties(this.#db, uprns)).map((home) => [home.uprn, home]))
    return rows.map((row) => this.#lineOf(row, stored.get(row.uprn))).join('')
  }

  #lineOf(row: ImportedProperty, stored: StoredProperty | undefined): string {
    const content = contentOf(row)
    if (stored === undefined) {
      this.#counts.inserted += 1
      return copyLine(row.addressUid, this.#importedAt, content)
    }
    const isUnchanged = stored.content === content
    this.#counts[isUnchanged ? 'unchanged' : 'updated'] += 1
    return copyLine(stored.addressUid, isUnchanged ? stored.updatedAt : this.#importedAt, content)
  }
}
