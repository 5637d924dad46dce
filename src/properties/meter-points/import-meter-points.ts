import { type ImportFormat, type ImportResult, importFile, type OnImportProgress } from '../import/import-file.ts'
import { meterFactColumns } from '../import/import-row.ts'
import { type MeterPointColumn, type MeterPointRow, meterPointColumns, readMeterPointRow } from './meter-point-row.ts'
import { stagedMeterPoints, storeStagedMeterPoints } from './meter-points.store.ts'

const format: ImportFormat<MeterPointColumn, MeterPointRow> = {
  columns: meterPointColumns,
  optionalColumns: meterFactColumns,
  readRow: readMeterPointRow,
  staged: stagedMeterPoints,
  storeBatch: storeStagedMeterPoints,
  repeatedReason:
    'the lines differ, so none of them was imported. Keep one line for each property. With solar panels, keep the MPAN for import',
}

/**
 * `housebill meter-points import`: imports the meters of properties from a CSV file with the columns
 * `meterPointColumns`. The properties need not exist yet. Throws the same errors as `importFile`.
 */
export function importMeterPoints(
  connectionString: string,
  path: string,
  onProgress?: OnImportProgress,
): Promise<ImportResult> {
  return importFile(connectionString, path, format, onProgress)
}
