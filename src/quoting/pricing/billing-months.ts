import Fraction from 'fraction.js'
import {
  addDays,
  addMonths,
  calendarMonthsBetween,
  dayOfMonth,
  daysInPeriod,
  earlierOf,
  type IsoDate,
  laterOf,
  onDayOfMonth,
} from '../../platform/kernel/dates.ts'

/** A billing month, from the billing day to the day before the next one, inclusive. */
export interface BillingMonth {
  start: IsoDate
  end: IsoDate
  /** The number of days in the whole billing month, 28–31. */
  days: number
}

/** A billing month of a contract; `from` and `to` limit it to the contract's days. */
export interface ContractMonth extends BillingMonth {
  from: IsoDate
  to: IsoDate
}

/** The first day of the billing month that a day falls in. Throws RangeError for a billing day outside 1–28. */
export function billingMonthStart(date: IsoDate, billingDay: number): IsoDate {
  const sameMonth = onDayOfMonth(date, billingDay)
  return dayOfMonth(date) >= billingDay ? sameMonth : addMonths(sameMonth, -1)
}

function billingMonthFrom(start: IsoDate): BillingMonth {
  const end = addDays(addMonths(start, 1), -1)
  return { start, end, days: daysInPeriod(start, end) }
}

/** The first billing date that is on or after `day`. */
export function nextBillingDate(day: IsoDate, billingDay: number): IsoDate {
  const start = billingMonthStart(day, billingDay)
  return start === day ? start : addMonths(start, 1)
}

/** Every billing month that contains days of the contract, oldest first; none if `from` is after `to`. */
export function billingMonths(from: IsoDate, to: IsoDate, billingDay: number): ContractMonth[] {
  const months: ContractMonth[] = []
  for (let start = billingMonthStart(from, billingDay); start <= to && from <= to; start = addMonths(start, 1)) {
    const month = billingMonthFrom(start)
    months.push({ ...month, from: laterOf(from, month.start), to: earlierOf(to, month.end) })
  }
  return months
}

/** How many days of a term fall in a billing month. The term includes its first and last day. */
export function daysWithin(month: BillingMonth, termStart: IsoDate, termEnd: IsoDate): number {
  return daysInPeriod(laterOf(month.start, termStart), earlierOf(month.end, termEnd))
}

/**
 * The exact number of contract months: for each billing month, the contract days ÷ the days in that month, added up
 * (docs/api-behaviour.md#how-prices-are-calculated). 1 September to 15 June, billed on the 1st, is 9½; an empty term is
 * 0. Splitting a term does not change the sum.
 */
export function countContractMonths(from: IsoDate, to: IsoDate, billingDay: number): Fraction {
  if (from > to) return new Fraction(0)
  const first = billingMonthFrom(billingMonthStart(from, billingDay))
  if (to <= first.end) return new Fraction(daysInPeriod(from, to), first.days)
  const last = billingMonthFrom(billingMonthStart(to, billingDay))
  const wholeBetween = calendarMonthsBetween(first.start, last.start) - 1
  return new Fraction(daysInPeriod(from, first.end), first.days)
    .add(wholeBetween)
    .add(new Fraction(daysInPeriod(last.start, to), last.days))
}
