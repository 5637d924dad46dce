import { stagedProperties, storeStagedProperties } from '../properties.store.ts'
import { type ImportFormat, type ImportResult, importFile, type OnImportProgress } from './import-file.ts'
import {
  type ImportColumn,
  type ImportedProperty,
  importColumns,
  meterFactColumns,
  readImportRow,
} from './import-row.ts'

const format: ImportFormat<ImportColumn, ImportedProperty> = {
  columns: importColumns,
  optionalColumns: meterFactColumns,
  readRow: readImportRow,
  staged: stagedProperties,
  storeBatch: storeStagedProperties,
  repeatedReason: 'the lines differ, so none of them was imported. Keep one line for each property',
}

/**
 * `housebill addresses import`: imports properties from a CSV file with the columns `importColumns`, on a connection of
 * its own. A UPRN that is already stored keeps its addressUid. Throws the same errors as `importFile`.
 */
export function importProperties(
  connectionString: string,
  path: string,
  onProgress?: OnImportProgress,
): Promise<ImportResult> {
  return importFile(connectionString, path, format, onProgress)
}
