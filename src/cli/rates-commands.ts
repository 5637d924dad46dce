import type { Command } from 'commander'
import { type JsonOption, jsonOption } from './json-option.ts'

export function addRatesCommands(program: Command): void {
  const rates = program
    .command('rates')
    .description('Check and publish rate cards, which partners know as quoting tool versions.')
  const actions = () => import('./rates-actions.ts')

  rates
    .command('publish')
    .description(
      'Publish a rate card. From then on it is offered, and never changes; publishing it again does nothing.',
    )
    .argument('<file>', 'a rate card as JSON, shaped like those in reference/rate-cards')
    .addOption(jsonOption())
    .action(async (file: string, options: JsonOption) => (await actions()).publish(file, options))

  rates
    .command('list')
    .description('List every published rate card, latest first, and say which is the default today.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).list(options))

  rates
    .command('check')
    .description('Check a rate card file without publishing it, and name everything wrong with it. Needs no database.')
    .argument('<file>', 'a rate card as JSON')
    .addOption(jsonOption())
    .action(async (file: string, options: JsonOption) => (await actions()).check(file, options))
}
