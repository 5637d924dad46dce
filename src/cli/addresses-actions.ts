import { open } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { addressStats } from '../domain/addresses/address-stats.ts'
import { generateCsv } from '../domain/addresses/generate-csv.ts'
import { importProperties } from '../domain/addresses/import-properties.ts'
import { describeImport, importRefusal } from './describe-import.ts'
import { type JsonOption, printJson } from './json-option.ts'
import { Refused } from './refused.ts'
import { alignRows, formatCount } from './table.ts'
import { withDatabase } from './with-database.ts'

export interface GenerateOptions extends JsonOption {
  count: number
  seed: number
  /** A new file; the standard output without. */
  out?: string
}

export async function importFile(file: string, { json }: JsonOption): Promise<void> {
  const showProgress = json === undefined && process.stderr.isTTY === true
  const progress = (rows: number) => {
    if (showProgress) process.stderr.write(`\r${formatCount(rows)} rows`)
  }
  const result = await withDatabase(({ db }) => importProperties(db, file, progress))
  if (showProgress) process.stderr.write('\r\u001b[K')
  const refusal = importRefusal(file, result)
  if (refusal !== undefined) throw refusal
  if (json) printJson(result)
  else console.log(describeImport(file, result))
}

export async function generate({ count, seed, out, json }: GenerateOptions): Promise<void> {
  if (out === undefined) {
    await generateCsv(process.stdout, { count, seed }).catch((error: NodeJS.ErrnoException) => {
      // Whoever read the output has enough of it.
      if (error.code !== 'EPIPE') throw error
    })
    return
  }
  try {
    const output = (await open(out, 'wx')).createWriteStream()
    await generateCsv(output, { count, seed })
    output.end()
    await finished(output)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const remedy = code === 'EEXIST' ? 'exists already; name a new file' : `cannot be written (${code})`
    throw new Refused('unusable_file', `${out} ${remedy}.`)
  }
  if (json) printJson({ file: out, homes: count, seed })
  else console.log(`${formatCount(count)} homes written to ${out}. Import them: npx housebill addresses import ${out}`)
}

export async function stats({ json }: JsonOption): Promise<void> {
  const counted = await withDatabase(({ db }) => addressStats(db))
  if (json) {
    printJson(counted)
    return
  }
  const { properties, bySource, byRegion, withoutRegion } = counted
  const rows = byRegion.map(({ region, name, properties: count }) => [name, region, formatCount(count)])
  const unpriced = withoutRegion > 0 ? [['without a region: cannot be quoted', '', formatCount(withoutRegion)]] : []
  const sources = `${formatCount(bySource.sample)} samples, ${formatCount(bySource.import)} imported`
  console.log(`${formatCount(properties)} homes (${sources})`)
  console.log(alignRows([...rows, ...unpriced], { right: [2] }))
}
