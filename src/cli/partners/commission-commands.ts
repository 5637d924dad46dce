import type { Command } from 'commander'
import { type JsonOption, jsonOption } from '../json-option.ts'
import type { AddCommissionOptions, CloseCommissionOptions } from './commission-actions.ts'
import { parseFirstDay, parseMonth, parseRates } from './commission-options.ts'

/** Adds the commands about what a partner earns. */
export function addCommissionCommands(partner: Command): void {
  const actions = () => import('./commission-actions.ts')
  const id = "the partner's id"

  partner
    .command('commission')
    .description('List the commission terms of a partner, by their first day.')
    .argument('<id>', id)
    .addOption(jsonOption())
    .action(async (partnerId: string, options: JsonOption) => (await actions()).printTerms(partnerId, options))

  partner
    .command('add-commission')
    .description(
      'Add commission terms. They apply to contracts that take effect on their first day or later, until the next terms begin, and never change.',
    )
    .argument('<id>', id)
    .requiredOption('--from <date>', 'their first day (YYYY-MM-DD)', parseFirstDay)
    .requiredOption(
      '--rates <rates>',
      '2.5% of the value without VAT, 3000p for each contract, or tiers by the number of contracts in a month: 20:2.5%,50:3%,4000p',
      parseRates,
    )
    .addOption(jsonOption())
    .action(async (partnerId: string, options: AddCommissionOptions) => (await actions()).addTerms(partnerId, options))

  partner
    .command('close-commission')
    .description('Close a month of a partner’s commission, and all before it, for ever. Do so before you pay for it.')
    .argument('<id>', id)
    .requiredOption('--month <month>', 'the month (YYYY-MM)', parseMonth)
    .addOption(jsonOption())
    .action(async (partnerId: string, options: CloseCommissionOptions) =>
      (await actions()).closeMonth(partnerId, options),
    )
}
