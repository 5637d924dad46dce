import { open } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { addressSupplierNames } from '../../platform/config/address-source.ts'
import type { Config } from '../../platform/config/config.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { getAddressStats } from '../../properties/address-stats.ts'
import type { ImportResult, OnImportProgress } from '../../properties/import/import-file.ts'
import { importProperties } from '../../properties/import/import-properties.ts'
import { importMeterPoints } from '../../properties/meter-points/import-meter-points.ts'
import { type GenerateOptions, generateCsv } from '../../sandbox/samples/generate-csv.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, print, printJson } from '../print.ts'
import { createProgress } from '../progress.ts'
import { alignRows, formatCount } from '../table.ts'
import { withDatabase } from '../with-database.ts'

export interface GenerateAddressesOptions extends GenerateOptions, JsonOption {
  /** The path of a new file, or `-` for standard output. */
  out: string
}

export async function importAddresses(file: string, options: JsonOption): Promise<void> {
  await runImport(importProperties, file, options)
}

export async function generateAddresses({ count, seed, out, json }: GenerateAddressesOptions): Promise<void> {
  const progress = createProgress('properties')
  const showProgress = json ? undefined : (properties: number) => progress.update(properties, properties / count)
  if (out === '-') {
    // If both are the terminal, progress would be in the middle of the CSV.
    const quietly = invocation().stdout.isTTY ? undefined : showProgress
    await generateCsv(invocation().stdout, { count, seed }, quietly).catch((error: NodeJS.ErrnoException) => {
      // The reader closed the pipe early.
      if (error.code !== 'EPIPE') throw error
    })
    progress.clear()
    return
  }
  try {
    const output = (await open(out, 'wx')).createWriteStream()
    await generateCsv(output, { count, seed }, showProgress)
    output.end()
    await finished(output)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const remedy = code === 'EEXIST' ? 'already exists; choose a new file' : `cannot be written (${code})`
    throw new CommandError('unusable_file', `${out} ${remedy}.`)
  }
  progress.clear()
  if (json) printJson({ file: out, homes: count, seed })
  else
    print(`${formatCount(count)} properties written to ${out}. Import them with: npx housebill addresses import ${out}`)
}

export async function printAddressStats({ json }: JsonOption): Promise<void> {
  const counted = await withDatabase('addresses stats', ({ db }) => getAddressStats(db))
  if (json) {
    printJson(counted)
    return
  }
  const { properties, bySource, byRegion, withoutRegion } = counted
  const rows = byRegion.map(({ region, name, properties: count }) => [name, region, formatCount(count)])
  const unpriced = withoutRegion > 0 ? [['no region: cannot be quoted', '', formatCount(withoutRegion)]] : []
  const supplied = addressSupplierNames
    .filter((name) => bySource[name] > 0)
    .map((name) => `, ${formatCount(bySource[name])} from ${name}`)
  const sources = `${formatCount(bySource.sample)} samples, ${formatCount(bySource.import)} imported${supplied.join('')}`
  print(`${formatCount(properties)} properties (${sources})`)
  print(alignRows([...rows, ...unpriced], { right: [2] }))
}

export async function importMeters(file: string, options: JsonOption): Promise<void> {
  await runImport(importMeterPoints, file, options, ({ addresses }) =>
    addresses.source === 'database' ? withoutEffect : undefined,
  )
}

const withoutEffect =
  'ADDRESS_SOURCE is "database", so these meters have no effect. Import meters with the properties: "addresses import".'

type ImportFunction = (
  connectionString: string,
  file: string,
  onProgress: OnImportProgress | undefined,
) => Promise<ImportResult>

/**
 * Imports a file into the configured database, shows progress on a terminal, and prints the result with the warning
 * that `warningFor` returns. The exit code is 1 if no row could be used, or if rows contradict each other.
 */
async function runImport(
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

/** Describes the result of an import, with every row that was left out and its line number. */
function describeImport(file: string, result: ImportResult): string {
  const { rows, inserted, updated, unchanged, rejectedRows } = result
  const counts: [string, number][] = [
    ['new', inserted],
    ['updated', updated],
    ['unchanged', unchanged],
    ['rejected', rejectedRows],
  ]
  const summary = `${file}: ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'} read`
  const table = alignRows(
    counts.map(([name, count]) => [name, formatCount(count)]),
    { right: [1] },
  )
  const remedy = 'Correct these lines and import the file again. Rows that were already imported stay as they are.'
  const rejects = rejectedRows === 0 ? [] : ['', 'Rejected:', describeRejects(result), '', remedy]
  return [summary, table, ...rejects, ...describeShared(result)].join('\n')
}

/** The meter points that several properties have. Flats can share one, but usually one of the properties is wrong. */
function describeShared({ sharedMeterPoints }: ImportResult): string[] {
  if (sharedMeterPoints.length === 0) return []
  const lines = sharedMeterPoints.map(({ kind, meterPoint, uprns }) => [kind, meterPoint, `UPRN ${uprns.join(', ')}`])
  return ['', 'Several properties have the same meter point. Check which of them it belongs to:', alignRows(lines)]
}

/** The error for an import that stored nothing although the file had rows; undefined for any other import. */
function importError(file: string, result: ImportResult): CommandError | undefined {
  const { rows, rejectedRows } = result
  if (rows === 0 || rejectedRows < rows) return undefined
  const message = `No row of ${file} can be used`
  return new CommandError('every_row_rejected', `${message}.`, {
    text: `${message}:\n${describeRejects(result)}`,
    result,
  })
}

function describeRejects({ rejected, problems }: ImportResult): string {
  const lines = alignRows(rejected.map(({ line, column, reason }) => [`line ${line}`, column ?? '', reason]))
  const more = problems - rejected.length
  return more === 0 ? lines : `${lines}\n  and ${formatCount(more)} more`
}
