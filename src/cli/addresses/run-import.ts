import type { Config } from '../../platform/config/config.ts'
import type { ImportResult, OnImportProgress } from '../../properties/import/import-file.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { createProgress } from '../progress.ts'
import { withDatabase } from '../with-database.ts'
import { describeImport, importError } from './describe-import.ts'

type ImportFunction = (
  connectionString: string,
  file: string,
  onProgress: OnImportProgress | undefined,
) => Promise<ImportResult>

/**
 * Imports a file into the configured database, shows progress on a terminal, and prints the result with the warning
 * that `warningFor` returns. The exit code is 1 if no row could be used, or if rows contradict each other.
 */
export async function runImport(
  importInto: ImportFunction,
  file: string,
  { json }: JsonOption,
  warningFor: (config: Config) => string | undefined = () => undefined,
): Promise<void> {
  const progress = createProgress('rows')
  const report: OnImportProgress = ({ rows, done }) => progress.update(rows, done)
  const { result, warning } = await withDatabase('import', async ({ ownerConnectionString, config }) => ({
    result: await importInto(ownerConnectionString, file, json === undefined ? report : undefined),
    warning: warningFor(config),
  })).finally(progress.clear)
  const error = importError(file, result)
  if (error !== undefined) throw error
  if (result.conflictingRows > 0) invocation().exitCode = 1
  if (json) printJson({ ...result, ...(warning === undefined ? {} : { warning }) })
  else print([describeImport(file, result), ...(warning === undefined ? [] : ['', warning])].join('\n'))
}
