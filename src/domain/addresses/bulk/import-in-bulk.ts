import { type BulkSession, withBulkSession } from '../../../db/bulk/bulk-session.ts'
import type { Queryable } from '../../../db/database.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { ImportResult, OnImportProgress } from '../import/import-file.ts'
import type { ImportSource } from '../import/import-source.ts'
import { BulkReader } from './bulk-reader.ts'
import { buildIndex, copyNextProperties, createNextProperties, listIndexStatements } from './next-properties.store.ts'
import {
  deleteUnfinishedImport,
  findUnfinishedImport,
  insertUnfinishedImport,
  updateUnfinishedImport,
} from './property-imports.store.ts'
import { carryOver, swapWhenFree } from './swap-properties.ts'

/** The key of the lock of bulk imports: an arbitrary number that nothing else uses in this database. */
const bulkImportLock = 7_208_451_994

/** The share of the time that reading the file takes, about. The rest goes into the indexes. */
const readingShare = 0.7

export interface BulkImportDeps {
  /** For the properties that are stored. */
  db: Queryable
  /** The connection string of the role that owns the tables. */
  ownerConnectionString: string
  /** How many bytes of the file are stored at once, at least, and lost if the import is interrupted. */
  batchBytes: number
}

/**
 * Imports a large file: writes its properties to a new table, adds the properties that only the present table has, and puts the new table
 * in the place of the present one. Until then, lookups see the present table, and whatever is written to it in the meantime is taken
 * over. If it is interrupted, the same call continues where it stopped, provided that the file still begins with what was read. Throws
 * `validation_failed`, storing nothing, if the file cannot be read or its header is invalid, and `service_unavailable` if another bulk
 * import is running or if something holds on to the present table.
 */
export async function importInBulk(
  deps: BulkImportDeps,
  source: ImportSource,
  size: number,
  onProgress: OnImportProgress = () => undefined,
): Promise<ImportResult> {
  const result = await withBulkSession(deps.ownerConnectionString, bulkImportLock, async (session) => {
    const { reader, isCarried } = await openReader(deps, session, source, size)
    const report = (done: number) => onProgress({ rows: reader.result.rows, done })
    while (!reader.isFinished) {
      await copyBatch(session, reader)
      report((readingShare * source.bytesRead) / size)
    }
    const indexes = await listIndexStatements(session)
    for (const [built, statement] of indexes.entries()) {
      await buildIndex(session, statement)
      report(readingShare + ((1 - readingShare) * (built + 1)) / (indexes.length + 1))
    }
    if (!isCarried) await carryOver(session)
    const storedMeanwhile = await swapWhenFree(session)
    report(1)
    const { inserted, updated } = reader.result
    return { ...reader.result, inserted: inserted - storedMeanwhile, updated: updated + storedMeanwhile }
  })
  if (result !== null) return result
  throw new DomainError(
    'service_unavailable',
    'Another large import is running. Wait until it has finished, then repeat this one.',
  )
}

/** Continues an interrupted import of this file, or starts anew. */
async function openReader(
  deps: BulkImportDeps,
  session: BulkSession,
  source: ImportSource,
  size: number,
): Promise<{ reader: BulkReader; isCarried: boolean }> {
  const reader = new BulkReader(deps, source)
  const unfinished = await findUnfinishedImport(session)
  // Properties that were carried over could be in the rest of a file that has grown.
  const isUsable = unfinished !== null && (!unfinished.isCarried || unfinished.bytesRead === size)
  if (isUsable && (await source.skip(unfinished.bytesRead, unfinished.sha256))) {
    await reader.continueFrom(session, unfinished)
    return { reader, isCarried: unfinished.isCarried }
  }
  const nothingRead = reader.progress
  await reader.readHeader()
  await session.transact(async () => {
    await deleteUnfinishedImport(session)
    await createNextProperties(session)
    await insertUnfinishedImport(session, nothingRead)
  })
  return { reader, isCarried: false }
}

/** Stores the next batch together with the place in the file where it ends. */
function copyBatch(session: BulkSession, reader: BulkReader): Promise<void> {
  return session.transact(async () => {
    await copyNextProperties(session, reader.batch())
    await updateUnfinishedImport(session, reader.progress)
  })
}
