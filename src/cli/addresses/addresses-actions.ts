import { open } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { supplierNames } from '../../platform/config/address-source.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { getAddressStats } from '../../properties/address-stats.ts'
import { importProperties } from '../../properties/import/import-properties.ts'
import { type GenerateOptions, generateCsv } from '../../sandbox/samples/generate-csv.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { createProgress } from '../progress.ts'
import { alignRows, formatCount } from '../table.ts'
import { withDatabase } from '../with-database.ts'
import { runImport } from './run-import.ts'

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
  if (json) printJson({ file: out, properties: count, seed })
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
  const supplied = supplierNames
    .filter((name) => bySource[name] > 0)
    .map((name) => `, ${formatCount(bySource[name])} from ${name}`)
  const sources = `${formatCount(bySource.sample)} samples, ${formatCount(bySource.import)} imported${supplied.join('')}`
  print(`${formatCount(properties)} properties (${sources})`)
  print(alignRows([...rows, ...unpriced], { right: [2] }))
}
