import type { Command } from 'commander'
import { type JsonOption, jsonOption } from '../print.ts'
import type { PublishOptions, WithdrawOptions } from './rates-actions.ts'

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
