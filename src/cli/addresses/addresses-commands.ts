import { type Command, InvalidArgumentError } from 'commander'
import { type JsonOption, jsonOption } from '../json-option.ts'
import type { GenerateAddressesOptions } from './addresses-actions.ts'
import { importHelp } from './import-help.ts'

export function addAddressesCommands(program: Command): void {
  const addresses = program
    .command('addresses')
    .description('Import properties with their meter numbers, generate test properties, and count them.')
  const actions = () => import('./addresses-actions.ts')

  addresses
    .command('import')
    .description('Import properties from a CSV file. Safe to repeat: a UPRN that already exists is updated.')
    .argument('<file>', 'a CSV file in UTF-8, with the columns that "addresses generate" writes')
    .addOption(jsonOption())
    .addHelpText('after', `${importHelp}\n${largeFiles}`)
    .action(async (file: string, options: JsonOption) => (await actions()).importAddresses(file, options))

  addresses
    .command('generate')
    .description(
      'Write a CSV of invented properties to standard output or to a file. The same options always produce the same properties.',
    )
    .option('--count <count>', 'the number of properties, 1 to 30,000,000', wholeNumber(30_000_000), 1_000)
    .option('--seed <seed>', '1 to 999; files with different seeds have no properties in common', wholeNumber(999), 1)
    .option('--out <file>', 'the file to create; - for standard output', '-')
    .addOption(jsonOption())
    .action(async (options: GenerateAddressesOptions, command: Command) => {
      if (options.json && options.out === '-') {
        command.error('error: --json needs --out with a file, because the CSV itself goes to standard output')
      }
      await (await actions()).generateAddresses(options)
    })

  addresses
    .command('stats')
    .description('Count the properties in the database by source and by region.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).printAddressStats(options))
}

const largeFiles = `
A file of 16 MB or more becomes visible all at once, at the end. If it is interrupted, repeat the command: it continues
where it stopped.`

function wholeNumber(most: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (/^\d{1,9}$/.test(value) && number >= 1 && number <= most) return number
    throw new InvalidArgumentError(`Must be a whole number from 1 to ${most.toLocaleString('en-GB')}.`)
  }
}
