import { type Command, InvalidArgumentError, Option } from 'commander'
import { exportFormats, exportKinds } from '../../back-office/export-files/export-page.ts'
import { type IsoDate, isIsoDate } from '../../platform/kernel/dates.ts'
import { type JsonOption, jsonOption } from '../print.ts'
import type { ExportOptions } from './contracts-actions.ts'

export function addContractsCommands(program: Command): void {
  const contracts = program.command('contracts').description('Hand over what was sold: contracts of all partners.')

  contracts
    .command('export')
    .description(
      'Write a file for your back office. Prints a cursor with which the next export continues, except for payments.',
    )
    .addOption(
      new Option(
        '--kind <kind>',
        'contracts: one line each; supply: one for each meter point of a household; broadband: one for each broadband product to order; register: one for each customer with needs (health data); payments: one for each that is owed',
      )
        .choices(exportKinds)
        .default('contracts'),
    )
    .addOption(
      new Option('--format <format>', 'csv, json (an array), or ndjson (one JSON object a line)')
        .choices(exportFormats)
        .default('csv'),
    )
    .requiredOption('--out <file>', 'the file to write, which must not exist yet; - for standard output')
    .option('--bom', 'begin CSV with a byte order mark, so that Excel reads it as UTF-8')
    .option('--since <cursor>', 'only what changed since an earlier export, which printed this cursor')
    .option('--due-before <date>', 'only payments that are due before this day (YYYY-MM-DD)', parseDate)
    .addOption(jsonOption())
    .action(async (options: ExportOptions & JsonOption, command: Command) => {
      if (options.json && options.out === '-')
        command.error('error: --json needs a file, because the export itself goes to standard output')
      if (options.bom && options.format !== 'csv') command.error('error: --bom is for --format csv')
      await (await import('./contracts-actions.ts')).exportContracts(options)
    })
}

function parseDate(text: string): IsoDate {
  if (!isIsoDate(text)) throw new InvalidArgumentError('Must be a date such as 2026-07-01.')
  return text
}
