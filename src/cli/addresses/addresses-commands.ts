import { type Command, InvalidArgumentError } from 'commander'
import { withAddressSupplier } from '../../platform/config/address-source.ts'
import { type JsonOption, jsonOption } from '../print.ts'
import type { GenerateAddressesOptions } from './addresses-actions.ts'

/** Shown after the options of every import command. */
const importHelp = `
Invalid rows are listed with their line and left out; the other rows are stored. If the file gives a
property in several ways, all of its rows are left out. The exit code is 1 if that happens, if the file
cannot be read, or if it has no valid row. A meter point that several properties have is reported.`

export function addAddressesCommands(program: Command): void {
  const addresses = program
    .command('addresses')
    .description('Import properties with their meter numbers, generate test properties, and count them.')
  const actions = () => import('./addresses-actions.ts')

  addresses
    .command('import')
    .description('Import properties from a CSV file. Safe to repeat: a UPRN that already exists is updated.')
    .argument(
      '<file>',
      'a CSV file in UTF-8, with the columns that "addresses generate" writes, and optionally meterPayment, registers, smartMeter and heating',
    )
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

export function addMeterPointsCommands(program: Command): void {
  const meterPoints = program
    .command('meter-points')
    .description('Set the meters of properties that come from an address supplier.')

  meterPoints
    .command('import')
    .description(
      'Import MPANs and MPRNs by UPRN from a CSV file. Safe to repeat: a UPRN that already exists is updated.',
    )
    .argument(
      '<file>',
      'a CSV file in UTF-8, with the columns uprn,mpan,mprn; leave a meter empty if the property does not have it. It may also have meterPayment, registers, smartMeter and heating',
    )
    .addOption(jsonOption())
    .addHelpText('after', `${importHelp}\n${usedWhen}`)
    .action(async (file: string, options: JsonOption) =>
      (await import('./addresses-actions.ts')).importMeters(file, options),
    )
}

const usedWhen = `
Used with ${withAddressSupplier}. Applies from the next lookup on, even to properties
that have been looked up before. With ADDRESS_SOURCE=database, import meters with the properties: "addresses import".`
