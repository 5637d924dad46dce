import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { countRefundsDue } from './refunding.store.ts'

const freshForMs = 30_000

/** How many open refunds must be paid back within three days, and how many should have been. */
export interface RefundsDue {
  overdue: number
  soon: number
}

/**
 * Returns a function that counts the refunds that are due, at most every 30 seconds. It returns undefined while the
 * database does not result.
 */
export function watchRefunds(system: Database, clock: Clock): () => Promise<RefundsDue | undefined> {
  let known: { counts: Promise<RefundsDue | undefined>; readAt: number } | undefined
  return () => {
    const now = performance.now()
    if (known === undefined || now - known.readAt > freshForMs)
      known = { counts: countRefundsDue(system, clock.now()).catch(() => undefined), readAt: now }
    return known.counts
  }
}
