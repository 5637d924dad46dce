import type { Database } from '../../db/database.ts'
import type { ImportResult } from '../../domain/addresses/import/import-file.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { formatCount } from '../table.ts'
import { withDatabase } from '../with-database.ts'
import { describeImport, importError } from './describe-import.ts'

type ImportFunction = (db: Database, file: string, onProgress: (rows: number) => void) => Promise<ImportResult>

/** Imports a file into the configured database, shows progress on a terminal, and prints the result. */
export async function runImport(importInto: ImportFunction, file: string, { json }: JsonOption): Promise<void> {
  const showProgress = json === undefined && process.stderr.isTTY === true
  const progress = (rows: number) => {
    if (showProgress) process.stderr.write(`\r${formatCount(rows)} rows`)
  }
  const result = await withDatabase('import', ({ db }) => importInto(db, file, progress))
  if (showProgress) process.stderr.write('\r\u001b[K')
  const error = importError(file, result)
  if (error !== undefined) throw error
  if (json) printJson(result)
  else console.log(describeImport(file, result))
}
