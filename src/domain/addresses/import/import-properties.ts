import type { Queryable } from '../../../db/database.ts'
import { importInBulk } from '../bulk/import-in-bulk.ts'
import { describeProperties } from '../bulk/next-properties.store.ts'
import { upsertImportedProperties } from '../properties.store.ts'
import { importColumns } from './import-columns.ts'
import { type ImportResult, importFile, type OnImportProgress } from './import-file.ts'
import { readImportRow } from './import-row.ts'
import { ImportSource } from './import-source.ts'

export interface ImportPropertiesDeps {
  db: Queryable
  /** The connection string of the role that owns the tables, for a large file. */
  ownerConnectionString: string
  /** The size in bytes from which a file is large: by default, that of about 150,000 properties. */
  largeBytes?: number
  /** How many bytes of a large file are stored at once, at least: 16 MB by default. */
  batchBytes?: number
}

const sixteenMegabytes = 16 * 1_024 * 1_024

/** About how long a row of a file is. */
const bytesPerRow = 110

/**
 * `housebill addresses import`: imports properties from a CSV file with the columns `importColumns`. A UPRN that is already
 * stored keeps its addressUid. Throws the same errors as `importFile` and, for a large file, as `importInBulk`.
 */
export async function importProperties(
  { db, ownerConnectionString, largeBytes = sixteenMegabytes, batchBytes = sixteenMegabytes }: ImportPropertiesDeps,
  path: string,
  onProgress?: OnImportProgress,
): Promise<ImportResult> {
  const size = (await new ImportSource(path).size()) ?? 0
  if (size >= largeBytes) {
    const { properties, isReplaceable } = await describeProperties(db)
    // The whole table is written anew in bulk, which does not pay for a file that changes only a small part of it.
    if (isReplaceable && size / bytesPerRow >= properties / 4)
      return importInBulk({ db, ownerConnectionString, batchBytes }, new ImportSource(path), size, onProgress)
  }
  const format = { columns: importColumns, readRow: readImportRow, store: upsertImportedProperties }
  return importFile(db, path, format, onProgress)
}
