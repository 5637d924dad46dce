import type { ImportResult, OnImportProgress } from '../../domain/addresses/import/import-file.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { createProgress } from '../progress.ts'
import { type CommandDatabase, withDatabase } from '../with-database.ts'
import { describeImport, importError } from './describe-import.ts'

type ImportFunction = (
  database: CommandDatabase,
  file: string,
  onProgress: OnImportProgress | undefined,
) => Promise<ImportResult>

/** Imports a file into the configured database, shows progress on a terminal, and prints the result. */
export async function runImport(importInto: ImportFunction, file: string, { json }: JsonOption): Promise<void> {
  const progress = createProgress('rows')
  const report: OnImportProgress = ({ rows, done }) => progress.update(rows, done)
  const result = await withDatabase('import', (database) =>
    importInto(database, file, json === undefined ? report : undefined),
  ).finally(progress.clear)
  const error = importError(file, result)
  if (error !== undefined) throw error
  if (json) printJson(result)
  else console.log(describeImport(file, result))
}
