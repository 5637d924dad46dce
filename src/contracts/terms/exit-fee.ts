import Fraction from 'fraction.js'
import {
  addDays,
  addMonths,
  calendarMonthsBetween,
  daysBetween,
  type IsoDate,
  laterOf,
} from '../../platform/kernel/dates.ts'
import { noPence, type Pence, pence, roundHalfUp, sumPence } from '../../platform/kernel/money.ts'
import { vatIncludedIn } from '../../quoting/pricing/vat.ts'
import type { EarlyExitTerms } from './fee-terms.ts'

/** A tenant's early exit: when they gave notice, their last day, and the contract that they leave. */
export interface EarlyExit {
  noticeGivenOn: IsoDate
  /** The last day of their contract. It can be before the contract's first day. */
  lastDay: IsoDate
  /** The first and the last day of the agreed term. */
  startDate: IsoDate
  endDate: IsoDate
  /** The tenant's monthly cost in pence, including VAT. */
  monthlyCost: Pence
  /** The part of the tenant's set-up cost that no payment has covered yet, in pence. */
  unpaidSetUp: Pence
}

/** What the tenant owes for leaving, besides the supply up to their last day. In pence; `fee` includes `feeVat`. */
export interface ExitCharge {
  fee: Pence
  feeVat: Pence
  setUp: Pence
  total: Pence
}

/** The earliest last day for a notice given on this day. */
export function earliestLastDay({ noticeDays }: EarlyExitTerms, noticeGivenOn: IsoDate): IsoDate {
  return addDays(noticeGivenOn, noticeDays)
}

/**
 * The first last day for which there is no exit fee: from then on, no more than `noFeeInLastDays` days are left after
 * it.
 */
export function firstLastDayWithoutFee({ noFeeInLastDays }: EarlyExitTerms, endDate: IsoDate): IsoDate {
  return addDays(endDate, -noFeeInLastDays)
}

/**
 * Calculates what a tenant owes for leaving early (docs/configuration.md#leaving-early-and-paying-late). The fee is the
 * fixed fee plus the fee for each whole month left, at most the maximum, and never more than the monthly cost of the
 * whole months left: leaving never costs more than staying. Throws RangeError if the last day is after the term or
 * earlier than the notice allows.
 */
export function exitFee(terms: EarlyExitTerms, exit: EarlyExit): ExitCharge {
  const { noticeGivenOn, lastDay, endDate } = exit
  if (lastDay > endDate) throw new RangeError(`${lastDay} is after the last day of the contract`)
  if (lastDay < earliestLastDay(terms, noticeGivenOn))
    throw new RangeError(`${lastDay} is before the end of the notice`)
  const fee = feeFor(terms, exit)
  const feeVat = roundHalfUp(vatIncludedIn(new Fraction(fee), terms.vatRate))
  const setUp = terms.unpaidSetUpIsDue ? exit.unpaidSetUp : noPence
  return { fee, feeVat, setUp, total: sumPence([fee, setUp]) }
}

function feeFor(terms: EarlyExitTerms, { lastDay, startDate, endDate, monthlyCost }: EarlyExit): Pence {
  if (daysBetween(lastDay, endDate) <= terms.noFeeInLastDays) return noPence
  const months = wholeMonthsLeft(laterOf(lastDay, addDays(startDate, -1)), endDate)
  const { feePence, feePencePerMonthLeft = 0, maximumFeePence = Number.POSITIVE_INFINITY } = terms
  return pence(Math.min(feePence + feePencePerMonthLeft * months, maximumFeePence, monthlyCost * months))
}

/** The whole months after the last day, up to and including the end of the term. */
function wholeMonthsLeft(lastDay: IsoDate, endDate: IsoDate): number {
  const months = calendarMonthsBetween(lastDay, endDate)
  return addMonths(lastDay, months) <= endDate ? months : months - 1
}
