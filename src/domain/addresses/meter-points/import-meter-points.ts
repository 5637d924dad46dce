import type { Queryable } from '../../../db/database.ts'
import { type ImportResult, importFile, type OnImportProgress } from '../import/import-file.ts'
import { meterPointColumns, readMeterPointRow } from './meter-point-row.ts'
import { upsertMeterPoints } from './meter-points.store.ts'

/**
 * `housebill meter-points import`: imports the meters of properties from a CSV file with the columns `meterPointColumns`. The
 * properties need not exist yet. Throws the same errors as `importFile`.
 */
export function importMeterPoints(db: Queryable, path: string, onProgress?: OnImportProgress): Promise<ImportResult> {
  const kind = { columns: meterPointColumns, readRow: readMeterPointRow, store: upsertMeterPoints }
  return importFile(db, path, kind, onProgress)
}
