import { addDays, endOfDayBefore, type IsoDate, laterOf } from '../../platform/kernel/dates.ts'

/** The length of the cancellation period, counted from the day after the contract takes effect (CCR 2013, reg. 30). */
export const cancellationDays = 14

/**
 * The last day of the right to cancel a contract without a reason: the 14th day after it took effect (CCR 2013, regs.
 * 29 and 30) or, if its confirmation was first sent on a later day, after that.
 */
export function lastDayOfRightToCancel(effectiveOn: IsoDate, confirmedOn: IsoDate = effectiveOn): IsoDate {
  return addDays(laterOf(effectiveOn, confirmedOn), cancellationDays)
}

/**
 * The last moment at which contracts took effect, and were confirmed, whose right to cancel is over on `day`: for
 * queries.
 */
export function rightToCancelIsOverSince(day: IsoDate): Date {
  return endOfDayBefore(addDays(day, -cancellationDays))
}
