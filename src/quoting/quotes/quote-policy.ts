import { cancellationDays } from '../../platform/kernel/limits.ts'

/** What applies to a partner's quotes. */
export interface QuotePolicy {
  /** How long a quote's prices are valid. */
  validitySeconds: number
  /** How long all tenants have to accept once the first one sets up payment. */
  lockSeconds: number
  /** The day of the month on which billing months begin, 1–28. It is stored with each quote's price. */
  billingDay: number
  /** Whether customers see supply as active from its first day if nobody reports about it. */
  presumesSupply: boolean
}

/**
 * How many days after creation or repricing a contract starts by default. A tenant who accepts in the last second of
 * the lock, on a quote locked in the last second of its validity, then still has the whole cancellation period before
 * supply begins. So nobody who keeps to the defaults has to ask for supply within that period (CCR 2013, reg. 36).
 */
export function defaultDaysAhead({
  validitySeconds,
  lockSeconds,
}: Pick<QuotePolicy, 'validitySeconds' | 'lockSeconds'>): number {
  return wholeDays(validitySeconds) + wholeDays(lockSeconds) + cancellationDays + 1
}

function wholeDays(seconds: number): number {
  return Math.ceil(seconds / 86_400)
}
