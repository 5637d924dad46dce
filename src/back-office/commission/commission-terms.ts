import type { IsoDate } from '../../platform/kernel/dates.ts'
import { percentInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'

/** The kinds of terms. They follow from the tiers. */
export const commissionKinds = ['fixed', 'share', 'tiers'] as const
export type CommissionKind = (typeof commissionKinds)[number]

/**
 * What a contract earns: either an amount in pence or a share of its value without VAT in hundredths of a percent; the
 * other is null.
 */
export interface CommissionRate {
  basisPoints: number | null
  amount: number | null
}

/** The rate up to the `upTo`th contract that a partner earns in a calendar month; null for all further ones. */
export interface CommissionTier extends CommissionRate {
  upTo: number | null
}

/** Terms of a partner. They apply to contracts that took effect on `firstDay` or later, until the next terms begin. */
export interface CommissionTerms {
  termNumber: number
  firstDay: IsoDate
  /** At least one; `upTo` grows from tier to tier, and is null for the last one only. */
  tiers: readonly CommissionTier[]
  recordedAt: Date
}

/** The limits of what an operator may agree with a partner. */
export const commissionLimits = { tiers: 20, basisPoints: 10_000, amount: 10_000_000, upTo: 1_000_000 } as const

export function kindOf([first, ...others]: readonly CommissionTier[]): CommissionKind {
  if (others.length > 0) return 'tiers'
  return first?.amount == null ? 'share' : 'fixed'
}

/** Where tiers break a rule: the index of the tier and what to do. Undefined if they are valid. */
export function tierProblem(tiers: readonly CommissionTier[]): { index: number; detail: string } | undefined {
  const last = tiers.length - 1
  for (const [index, { upTo, basisPoints, amount }] of tiers.entries()) {
    if ((basisPoints === null) === (amount === null))
      return { index, detail: 'A tier has either a share of the value or an amount.' }
    if ((upTo === null) !== (index === last))
      return { index, detail: 'Every tier except the last says up to which contract it applies.' }
    if (upTo !== null && upTo <= (tiers[index - 1]?.upTo ?? 0))
      return { index, detail: 'A tier must reach further than the one before it.' }
  }
  return undefined
}

/**
 * The terms that apply to a contract that took effect on this day; undefined before the first. Of two with the same
 * first day, the later one.
 */
export function termsOn(all: readonly CommissionTerms[], effectiveOn: IsoDate): CommissionTerms | undefined {
  return all
    .filter(({ firstDay }) => firstDay <= effectiveOn)
    .reduce<CommissionTerms | undefined>((latest, each) => {
      if (latest === undefined || each.firstDay > latest.firstDay) return each
      return each.firstDay === latest.firstDay && each.termNumber > latest.termNumber ? each : latest
    }, undefined)
}

/** What terms pay for a contract, for its tenant to read: “£10.00 or £12.00”, “5% of your price without VAT”. */
export function tiersInWords(tiers: readonly CommissionTier[]): string {
  const rates = tiers.map(({ amount, basisPoints }) =>
    amount === null
      ? `${percentInWords(String((basisPoints ?? 0) / 10_000))} of your price without VAT`
      : formatPounds(pence(amount)),
  )
  const distinct = [...new Set(rates)]
  const which = distinct.length === 1 ? '' : ', depending on how many tenants it introduces,'
  return `${listInWords(distinct, 'or')}${which}`
}

/** The rate of the `number`th contract of a month, from 1. Each contract has the rate of its own tier. */
export function rateOf(tiers: readonly CommissionTier[], number: number): CommissionRate {
  const tier = tiers.find(({ upTo }) => upTo === null || number <= upTo)
  if (tier === undefined) throw new Error('the last tier of commission terms has an end')
  return tier
}
