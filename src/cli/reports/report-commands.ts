import { type Command, InvalidArgumentError, Option } from 'commander'
import { type IsoDate, isIsoDate } from '../../platform/kernel/dates.ts'
import { jsonOption } from '../json-option.ts'
import { parseMonth } from '../partners/commission-commands.ts'
import type { CommissionOptions } from './commission-action.ts'
import type { FunnelOptions } from './funnel-action.ts'
import { reportFormats } from './report-format.ts'

interface Report {
  name: string
  description: string
  options: readonly Option[]
  run(options: object): Promise<void>
}

/** The reports: one command each. */
const reports: readonly Report[] = [
  {
    name: 'funnel',
    description:
      'Print what became of the quotes of each partner and day: how many have a price, tenants, details, a card, an acceptance and contracts in force.',
    options: [
      new Option('--from <date>', 'the first day (YYYY-MM-DD; default: 29 days before the last)').argParser(parseDate),
      new Option('--to <date>', 'the last day (YYYY-MM-DD; default: today)').argParser(parseDate),
      new Option('--partner <id>', 'only quotes of this partner'),
    ],
    run: async (options) => (await import('./funnel-action.ts')).printFunnel(options as FunnelOptions),
  },
  {
    name: 'commission',
    description:
      'Print what each partner is owed for the contracts of a month. With another format than the table, print the entries that add up to it.',
    options: [
      new Option('--month <month>', 'the month (YYYY-MM)').argParser(parseMonth).makeOptionMandatory(),
      new Option('--partner <id>', 'only this partner'),
    ],
    run: async (options) => (await import('./commission-action.ts')).printCommission(options as CommissionOptions),
  },
]

export function addReportCommands(program: Command): void {
  const group = program.command('report').description('Print reports on all partners.')
  for (const { name, description, options, run } of reports) {
    const command = group.command(name).description(description)
    for (const option of options) command.addOption(option)
    command
      .addOption(
        new Option('--format <format>', 'a table, csv, json (an array), or ndjson (one JSON object a line)')
          .choices(reportFormats)
          .default('table'),
      )
      .addOption(jsonOption().conflicts('format'))
      .action(run)
  }
}

function parseDate(text: string): IsoDate {
  if (!isIsoDate(text)) throw new InvalidArgumentError('Must be a date such as 2026-07-01.')
  return text
}
