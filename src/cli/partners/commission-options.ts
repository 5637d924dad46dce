import { InvalidArgumentError } from 'commander'
import { isMonth, type Month } from '../../back-office/commission/commission-month.ts'
import { type CommissionTier, commissionLimits, tierProblem } from '../../back-office/commission/commission-terms.ts'
import { type IsoDate, isIsoDate } from '../../platform/kernel/dates.ts'

/** Parses a month such as 2027-01. */
export function parseMonth(text: string): Month {
  if (!isMonth(text)) throw new InvalidArgumentError('Must be a month such as 2027-01.')
  return text
}

/** Parses a day such as 2027-01-01. */
export function parseFirstDay(text: string): IsoDate {
  if (!isIsoDate(text)) throw new InvalidArgumentError('Must be a date such as 2027-01-01.')
  return text
}

/**
 * Parses rates: `2.5%` or `3000p` for every contract, or several such as `20:2.5%,50:3%,4000p`, of which each except
 * the last says up to which contract of a month it applies.
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
