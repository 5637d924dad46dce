import { addDays, endOfDayBefore, londonDate } from '../../platform/kernel/dates.ts'
import { cancellationDays } from '../../platform/kernel/limits.ts'
import type { Quote } from './quote.ts'
import type { QuotePolicy } from './quote-policy.ts'

/**
 * Locks an open quote: its price, dates and terms are agreed until `lockedUntil`. Returns a quote that is not open
 * unchanged. Every tenant must accept before the contract's first day, so the lock never passes the end of the day
 * before.
 */
export function startLock(
  quote: Quote,
  policy: QuotePolicy,
  { now, termsVersion }: { now: Date; termsVersion: string },
): Quote {
  if (quote.stage !== 'open') return quote
  return { ...quote, stage: 'active', lockedUntil: lockEnd(quote, policy, now), termsVersion }
}

/**
 * When a lock that begins now ends. A lock lasts until its day is over in London, which is what documents say of it.
 */
function lockEnd({ contractStartDate }: Quote, { lockSeconds }: QuotePolicy, now: Date): Date {
  const lastDay = londonDate(new Date(now.getTime() + lockSeconds * 1000))
  return new Date(Math.min(endOfDayBefore(addDays(lastDay, 1)).getTime(), endOfDayBefore(contractStartDate).getTime()))
}

/**
 * Whether a tenant can only accept after expressly asking for supply within the cancellation period (CCR 2013, reg.
 * 36): some service would start on or before the 14th day after the end of the lock, which is the last moment at which
 * the contract can take effect. An open quote is judged as if it were locked now.
 */
export function earlySupplyMustBeRequested(quote: Quote, policy: QuotePolicy, now: Date): boolean {
  if (quote.price === null) return false
  // A tenant who takes over a share is the last to accept, so their contract takes effect at once.
  const end = quote.takingOver ? now : quote.stage === 'open' ? lockEnd(quote, policy, now) : quote.lockedUntil
  if (end === null) return false
  const lastDay = addDays(londonDate(end), cancellationDays)
  return quote.price.lines.some(({ startDate }) => startDate <= lastDay)
}
