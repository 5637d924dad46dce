import { type Command, InvalidArgumentError, Option } from 'commander'
import { type IsoDate, isIsoDate } from '../../platform/kernel/dates.ts'
import { type JsonOption, jsonOption } from '../print.ts'
import type { PublishOptions, RestrictOptions, ScheduleOptions, WithdrawOptions } from './rates-actions.ts'

export function addRatesCommands(program: Command): void {
  const rates = program
    .command('rates')
    .description('Check, compare, publish and withdraw rate cards, which partners know as quoting tool versions.')
  const actions = () => import('./rates-actions.ts')

  rates
    .command('publish')
    .description(
      'Publish a rate card, and print what it means for sample homes. It is then available for quotes and never changes. Publishing it again does nothing.',
    )
    .argument('<file>', 'a rate card in JSON, in the format of reference-data/rate-cards')
    .option('--yes', 'publish it although figures are more than 30 % off the present card')
    .addOption(jsonOption())
    .action(async (file: string, options: PublishOptions) => (await actions()).publishRateCardFile(file, options))

  rates
    .command('list')
    .description('List all rate cards, latest first, with their state, and show which one is the default today.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).printRateCards(options))

  addLifeCommands(rates)

  rates
    .command('withdraw')
    .description(
      'Take a rate card off sale for ever, after saying what that means. Quotes on it keep their price until they expire.',
    )
    .argument('<id>', 'the quotingToolVersionId')
    .option('--stop-signing', 'price anew, within minutes, every quote on it that nobody has signed')
    .option('--yes', 'ask nothing')
    .addOption(jsonOption())
    .action(async (id: string, options: WithdrawOptions) => (await actions()).withdrawPublishedCard(id, options))

  rates
    .command('diff')
    .description('Compare two rate cards: every figure that differs, and the costs of sample homes.')
    .argument('<before>', 'the id of a rate card, or a file such as ./my-card.json')
    .argument('<after>', 'the same for the card to compare it with')
    .addOption(jsonOption())
    .action(async (before: string, after: string, options: JsonOption) =>
      (await import('./diff-action.ts')).printComparison(before, after, options),
    )

  rates
    .command('check')
    .description(
      'Check a rate card file without publishing it. Lists everything wrong with it, and figures that look wrong. Does not need a database.',
    )
    .argument('<file>', 'a rate card in JSON')
    .addOption(jsonOption())
    .action(async (file: string, options: JsonOption) => (await actions()).checkRateCardFile(file, options))
}

function addLifeCommands(rates: Command): void {
  const actions = () => import('./rates-actions.ts')
  const id = ['<id>', 'the quotingToolVersionId'] as const

  rates
    .command('schedule')
    .description('Set the days on which a rate card is on sale. An option that you leave out means no limit.')
    .argument(...id)
    .option('--from <date>', 'the first day (YYYY-MM-DD)', parseDate)
    .option('--to <date>', 'the last day (YYYY-MM-DD)', parseDate)
    .addOption(jsonOption())
    .action(async (card: string, options: ScheduleOptions) => (await actions()).scheduleCard(card, options))

  rates
    .command('restrict')
    .description('Let only some partners see and choose a rate card.')
    .argument(...id)
    .addOption(
      new Option('--partners <ids>', "the partners' ids, separated by commas")
        .argParser((text: string) => text.split(',').map((each) => each.trim()))
        .conflicts('everybody'),
    )
    .option('--everybody', 'let every partner choose it again')
    .addOption(jsonOption())
    .action(async (card: string, options: RestrictOptions, command: Command) => {
      if (options.partners === undefined && options.everybody === undefined)
        command.error('error: give either --partners or --everybody')
      await (await actions()).restrictCard(card, options)
    })
}

function parseDate(text: string): IsoDate {
  if (!isIsoDate(text)) throw new InvalidArgumentError('Must be a date such as 2026-07-01.')
  return text
}
