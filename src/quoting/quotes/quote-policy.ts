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

/** What applies to a partner's quotes. */
export interface QuotePolicy {
  /** How long a quote's prices are valid. */
  validitySeconds: number
  /** How many days, in London, all tenants have to accept after the day on which the first one sets up payment. */
  lockDays: number
  /** The day of the month on which billing months begin, 1–28. It is stored with each quote's price. */
  billingDay: number
  /** Whether customers see supply as active from its first day if nobody reports about it. */
  presumesSupply: boolean
  /** Whether the terms let a tenant whose tenancy ends go without a fee. */
  isFreeWhenTenancyEnds: boolean
}

/**
 * How many days after creation or repricing a contract starts by default. A tenant who accepts in the last second of
 * the lock, on a quote locked in the last second of its validity, then still has the whole cancellation period before
 * supply begins. So nobody who keeps to the defaults has to ask for supply within that period (CCR 2013, reg. 36).
 */
export function defaultDaysAhead({
  validitySeconds,
  lockDays,
}: Pick<QuotePolicy, 'validitySeconds' | 'lockDays'>): number {
  return wholeDays(validitySeconds) + daysToSignAndCancel({ lockDays })
}

/** How many days after the first card the contract must start so that nobody has to ask for early supply. */
export function daysToSignAndCancel({ lockDays }: Pick<QuotePolicy, 'lockDays'>): number {
  return lockDays + cancellationDays + 1
}

/** The most days that a time can reach into. */
export function wholeDays(seconds: number): number {
  return Math.ceil(seconds / 86_400)
}
