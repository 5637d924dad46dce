import Fraction from 'fraction.js'
import { addDays, daysInPeriod, earlierOf, type IsoDate } from '../../platform/kernel/dates.ts'
import { cancellationDays } from '../../platform/kernel/limits.ts'
import { noPence, type Pence, pence, roundHalfUp } from '../../platform/kernel/money.ts'
import type { CommissionRate } from './commission-terms.ts'

/**
 * The day on which a contract earns commission: the first after the right to cancel it has ended if it was confirmed on
 * the day on which it took effect.
 */
export function earnedOn(effectiveOn: IsoDate): IsoDate {
  return addDays(effectiveOn, cancellationDays + 1)
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
 * What is taken back of an earning, as a negative amount: its part for the days that were not supplied, rounded once.
 */
export function clawbackAmount(earned: Pence, days: { unsupplied: number; term: number }): Pence {
  return pence(0 - roundHalfUp(new Fraction(earned).mul(days.unsupplied).div(days.term)))
}
