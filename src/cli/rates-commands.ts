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
      'Publish a rate card. It is then available for quotes and never changes. Publishing it again does nothing.',
    )
    .argument('<file>', 'a rate card in JSON, in the format of reference/rate-cards')
    .addOption(jsonOption())
    .action(async (file: string, options: JsonOption) => (await actions()).publishRateCardFile(file, options))

  rates
    .command('list')
    .description('List all published rate cards, latest first, and show which one is the default today.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).printRateCards(options))

  rates
    .command('check')
    .description(
      'Check a rate card file without publishing it. Lists everything wrong with it, and figures that look wrong. Does not need a database.',
    )
    .argument('<file>', 'a rate card in JSON')
    .addOption(jsonOption())
    .action(async (file: string, options: JsonOption) => (await actions()).checkRateCardFile(file, options))
}
