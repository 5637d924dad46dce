import { createWriteStream } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { addressStats } from '../domain/addresses/address-stats.ts'
import { generateCsv } from '../domain/addresses/generate-csv.ts'
import { importProperties } from '../domain/addresses/import-properties.ts'
import { describeImport, importRefusal } from './describe-import.ts'
import { type JsonOption, jsonOption, printJson } from './json-option.ts'
import { Refused } from './refused.ts'
import { alignRows, formatCount } from './table.ts'
import { withDatabase } from './with-database.ts'

export function addAddressesCommands(program: Command): void {
  const addresses = program
    .command('addresses')
    .description('Import homes with their meter numbers, invent some for tests, and count them.')

  addresses
    .command('import')
    .description('Import homes from a CSV file. May be repeated: a UPRN that is known is updated.')
    .argument('<file>', 'CSV in UTF-8, with the columns that "addresses generate" writes')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nRows that cannot be used are listed with their line and left out; the others are stored.\nThe exit code is 1 only where the file cannot be used at all, or no row of it.',
    )
    .action(async (file: string, { json }: JsonOption) => {
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
    })

  addresses
    .command('generate')
    .description('Write a CSV of invented homes, to standard output or to a file: the same options, the same homes.')
    .option('--count <count>', 'how many homes, 1 to 10,000,000', wholeNumber, 1_000)
    .option('--seed <seed>', '1 to 999; files of different seeds share no home', wholeNumber, 1)
    .option('--out <file>', 'a new file to write to')
    .addOption(jsonOption())
    .action(async (options: GenerateOptions, command: Command) => {
      if (options.json && options.out === undefined) {
        command.error('error: --json needs --out, because the CSV itself goes to standard output')
      }
      await generate(options, command)
    })

  addresses
    .command('stats')
    .description('Count the homes in the database by source and by region.')
    .addOption(jsonOption())
    .action(async ({ json }: JsonOption) => {
      const stats = await withDatabase(({ db }) => addressStats(db))
      if (json) {
        printJson(stats)
        return
      }
      const { properties, bySource, byRegion, withoutRegion } = stats
      const rows = byRegion.map(({ region, name, properties: count }) => [name, region, formatCount(count)])
      const unpriced = withoutRegion > 0 ? [['without a region: cannot be quoted', '', formatCount(withoutRegion)]] : []
      const sources = `${formatCount(bySource.sample)} samples, ${formatCount(bySource.import)} imported`
      console.log(`${formatCount(properties)} homes (${sources})`)
      console.log(alignRows([...rows, ...unpriced], { right: [2] }))
    })
}

interface GenerateOptions extends JsonOption {
  count: number
  seed: number
  out?: string
}

async function generate({ count, seed, out, json }: GenerateOptions, command: Command): Promise<void> {
  const output = out === undefined ? process.stdout : createWriteStream(out, { flags: 'wx' })
  try {
    await generateCsv(output, { count, seed })
    if (out !== undefined) await new Promise<void>((resolve) => output.end(resolve))
  } catch (error) {
    if (error instanceof RangeError) command.error(`error: ${error.message}`)
    const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
    // Whoever read the output has enough of it.
    if (out === undefined && code === 'EPIPE') return
    if (code === undefined) throw error
    const remedy = code === 'EEXIST' ? 'exists already; name a new file' : `cannot be written (${code})`
    throw new Refused('unusable_file', `${out ?? 'Standard output'} ${remedy}.`)
  }
  if (json) printJson({ file: out, homes: count, seed })
  else if (out !== undefined) {
    console.log(`${formatCount(count)} homes written to ${out}. Import them: npx housebill addresses import ${out}`)
  }
}

function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It takes a whole number.')
  return Number(value)
}
