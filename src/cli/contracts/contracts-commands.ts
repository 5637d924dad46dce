import { type Command, Option } from 'commander'
import { type JsonOption, jsonOption } from '../json-option.ts'
import type { ExportOptions } from './export-action.ts'

export function addContractsCommands(program: Command): void {
  const contracts = program.command('contracts').description('Hand over what was sold: contracts of all partners.')

  contracts
    .command('export')
    .description(
      'Write a file for your back office: every contract, or the meter points to register. Prints a cursor with which the next export continues.',
    )
    .addOption(
      new Option('--kind <kind>', 'contracts: one line each; supply: one line for each meter point of a household')
        .choices(['contracts', 'supply'])
        .default('contracts'),
    )
    .addOption(
      new Option('--format <format>', 'csv, or ndjson: one JSON object a line')
        .choices(['csv', 'ndjson'])
        .default('csv'),
    )
    .requiredOption('--out <file>', 'the file to write; it must not exist yet')
    .option('--since <cursor>', 'only what changed since an earlier export, which printed this cursor')
    .addOption(jsonOption())
    .action(async (options: ExportOptions & JsonOption) =>
      (await import('./export-action.ts')).exportContracts(options),
    )
}
