import { type Command, InvalidArgumentError } from 'commander'
import type { GenerateOptions } from './addresses-actions.ts'
import { importHelp } from './import-help.ts'
import { type JsonOption, jsonOption } from './json-option.ts'

export function addAddressesCommands(program: Command): void {
  const addresses = program
    .command('addresses')
    .description('Import homes with their meter numbers, invent some for tests, and count them.')
  const actions = () => import('./addresses-actions.ts')

  addresses
    .command('import')
    .description('Import homes from a CSV file. May be repeated: a UPRN that is known is updated.')
    .argument('<file>', 'CSV in UTF-8, with the columns that "addresses generate" writes')
    .addOption(jsonOption())
    .addHelpText('after', importHelp)
    .action(async (file: string, options: JsonOption) => (await actions()).importHomes(file, options))

  addresses
    .command('generate')
    .description('Write a CSV of invented homes, to standard output or to a file: the same options, the same homes.')
    .option('--count <count>', 'how many homes, 1 to 10,000,000', wholeNumber(10_000_000), 1_000)
    .option('--seed <seed>', '1 to 999; files of different seeds share no home', wholeNumber(999), 1)
    .option('--out <file>', 'a new file to write to')
    .addOption(jsonOption())
    .action(async (options: GenerateOptions, command: Command) => {
      if (options.json && options.out === undefined) {
        command.error('error: --json needs --out, because the CSV itself goes to standard output')
      }
      await (await actions()).generate(options)
    })

  addresses
    .command('stats')
    .description('Count the homes in the database by source and by region.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).stats(options))
}

function wholeNumber(most: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (/^\d{1,9}$/.test(value) && number >= 1 && number <= most) return number
    throw new InvalidArgumentError(`It takes a whole number from 1 to ${most.toLocaleString('en-GB')}.`)
  }
}
