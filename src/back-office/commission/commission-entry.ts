import Fraction from 'fraction.js'
import { addDays, daysInPeriod, earlierOf, type IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence, type Pence, pence, roundHalfUp } from '../../platform/kernel/money.ts'
import { lastDayOfRightToCancel } from '../../quoting/quotes/quote-policy.ts'
import type { Month } from './commission-month.ts'
import type { CommissionRate } from './commission-terms.ts'

/**
 * `earned`: for a contract. `clawback`: taken back of it, because the contract ended early or was cancelled.
 * `reduction`: taken back of it, because the operator reduced the price.
 */
export const commissionEntryKinds = ['earned', 'clawback', 'reduction'] as const

/** A line of a partner's statement, with what it was worked out from. It never changes. Amounts are in pence. */
export interface CommissionEntry {
  lineId: Id<'line'>
  partnerId: Id<'partner'>
  contractNumber: string
  kind: (typeof commissionEntryKinds)[number]
  quoteId: Id<'quote'>
  /** The partner's branch that sold the contract, when it earned; null for none. */
  branch: string | null
  /** Who sold it, when it earned; null if nobody said. */
  soldBy: string | null
  countsOn: IsoDate
  /** The statement it is on: the month of `countsOn` or, if that was closed, the first open one. */
  month: Month
  /** Zero or negative unless it is an earning. */
  amount: Pence
  termNumber: number
  /** The number of the contract among those of the month of `countsOn`, from 1; null unless it is an earning. */
  numberInMonth: number | null
  /** The value of the contract, without VAT. */
  valueNet: Pence
  /** The rate: hundredths of a percent of the value, or an amount. The other is null. */
  basisPoints: number | null
  fixedAmount: Pence | null
  termDays: number
  /** The days of the household's whole term. */
  householdDays: number
  /** The days of the term that were not supplied; 0 unless it is a clawback. */
  unsuppliedDays: number
  /** The refund by which the price was reduced; null unless it is a reduction. */
  refundEntryId: Id<'entry'> | null
}

/** What a partner asked about a line, and the operator's answer; null while there is none. */
export interface CommissionQuery {
  queryId: Id<'query'>
  text: string
  askedAt: Date
  answer: string | null
  answeredAt: Date | null
}

/** A line can be queried so often, each time once the last query has been answered. */
export const maxQueries = 20

/** A line as it is on the statement, with what was asked about it, the first first. */
export interface StatementLine extends CommissionEntry {
  queries: CommissionQuery[]
}

/** The day on which a contract earns commission: the first after the right to cancel it has ended. */
export function earnedOn(effectiveOn: IsoDate, confirmedOn: IsoDate = effectiveOn): IsoDate {
  return addDays(lastDayOfRightToCancel(effectiveOn, confirmedOn), 1)
}

/**
 * What a contract earns, rounded once. A share is of the value without VAT. A fixed amount is for the household's whole
 * term, so whoever takes over the rest of a share earns the part of it that is left.
 */
export function earnedAmount(
  { basisPoints, amount }: CommissionRate,
  { valueNet, termDays, householdDays }: { valueNet: Pence; termDays: number; householdDays: number },
): Pence {
  const exact =
    basisPoints !== null
      ? new Fraction(valueNet).mul(basisPoints).div(10_000)
      : new Fraction(amount ?? noPence).mul(termDays).div(householdDays)
  return roundHalfUp(exact)
}

/** A contract that is over before its agreed end. */
export interface ContractOver {
  status: 'cancelled' | 'ended'
  startsOn: IsoDate
  endsOn: IsoDate
  endedOn: IsoDate
}

/**
 * The days of the term that were not supplied. A cancelled contract counts as not supplied: its right to cancel had not
 * ended on the day of the notice.
 */
export function unsuppliedDays({ status, startsOn, endsOn, endedOn }: ContractOver): number {
  const supplied = status === 'cancelled' ? 0 : daysInPeriod(startsOn, earlierOf(endedOn, endsOn))
  return daysInPeriod(startsOn, endsOn) - supplied
}

/**
 * What is taken back of an earning, as a negative amount: its part for the days that were not supplied. Rounded once,
 * and at most what is `left` of it.
 */
export function clawbackAmount(
  earned: Pence,
  { unsupplied, term, left = earned }: { unsupplied: number; term: number; left?: Pence },
): Pence {
  return takenBack(new Fraction(earned).mul(unsupplied).div(term), left)
}

/**
 * What is taken back of an earning, as a negative amount: the rate's share of the value by which the price was reduced,
 * without VAT. Rounded once, and at most what is `left` of it. Nothing of a fixed amount.
 */
export function reductionAmount({ basisPoints }: Pick<CommissionEntry, 'basisPoints'>, reducedNet: Pence, left: Pence) {
  return takenBack(new Fraction(reducedNet).mul(basisPoints ?? 0).div(10_000), left)
}

function takenBack(exact: Fraction, left: Pence): Pence {
  return pence(0 - Math.min(left, roundHalfUp(exact)))
}
