import { type Command, InvalidArgumentError } from 'commander'
import { isMonth, type Month } from '../../back-office/commission/commission-month.ts'
import { type CommissionTier, commissionLimits, tierProblem } from '../../back-office/commission/commission-terms.ts'
import { type IsoDate, isIsoDate } from '../../platform/kernel/dates.ts'
import { type JsonOption, jsonOption } from '../json-option.ts'
import type { AddCommissionOptions, CloseCommissionOptions } from './commission-actions.ts'

/** Parses a month such as 2027-01. */
export function parseMonth(text: string): Month {
  if (!isMonth(text)) throw new InvalidArgumentError('Must be a month such as 2027-01.')
  return text
}

/** Parses a day such as 2027-01-01. */
function parseFirstDay(text: string): IsoDate {
  if (!isIsoDate(text)) throw new InvalidArgumentError('Must be a date such as 2027-01-01.')
  return text
}

/**
 * Parses rates: `2.5%` or `3000p` for every contract, or several such as `20:2.5%,50:3%,4000p`, of which each except
 * the last says up to which contract of a month it applies.
 *
 * @internal A test reads the rates of a documented example with it.
 */
export function parseRates(text: string): CommissionTier[] {
  const tiers = text.split(',').map(parseTier)
  const problem = tierProblem(tiers)
  if (problem === undefined && tiers.length <= commissionLimits.tiers) return tiers
  throw wrongRates(problem?.detail ?? `There can be ${commissionLimits.tiers} rates.`)
}

function parseTier(text: string): CommissionTier {
  const [, upTo, whole = '', hundredths = '', unit] =
    /^(?:(\d{1,7}):)?(\d{1,8})(?:\.(\d{1,2}))?(%|p)$/.exec(text.trim()) ?? []
  const isShare = unit === '%'
  const basisPoints = Number(whole) * 100 + Number(hundredths.padEnd(2, '0'))
  const amount = Number(whole)
  const { basisPoints: mostShare, amount: mostPence, upTo: last } = commissionLimits
  const isValid = isShare ? basisPoints <= mostShare : unit === 'p' && hundredths === '' && amount <= mostPence
  if (!isValid || Number(upTo ?? 1) > last) throw wrongRates()
  return {
    upTo: upTo === undefined ? null : Number(upTo),
    basisPoints: isShare ? basisPoints : null,
    amount: isShare ? null : amount,
  }
}

function wrongRates(detail = ''): InvalidArgumentError {
  return new InvalidArgumentError(
    `Must be a rate such as 2.5% (of the value without VAT, at most two decimals) or 3000p (pence), or tiers such as 20:2.5%,50:3%,4000p. ${detail}`.trim(),
  )
}

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
