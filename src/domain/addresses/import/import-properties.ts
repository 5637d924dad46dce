import type { Queryable } from '../../../db/database.ts'
import { upsertImportedProperties } from '../properties.store.ts'
import { importColumns } from './import-columns.ts'
import { type ImportResult, importFile } from './import-file.ts'
import { readImportRow } from './import-row.ts'

/**
 * `housebill addresses import`: imports properties from a CSV file with the columns `importColumns`. A UPRN that is already
 * stored keeps its addressUid. Throws the same errors as `importFile`.
 */
export function importProperties(
  db: Queryable,
  path: string,
  onProgress?: (rows: number) => void,
): Promise<ImportResult> {
  return importFile(
    db,
    path,
    { columns: importColumns, readRow: readImportRow, store: upsertImportedProperties },
    onProgress,
  )
}
