import type { Database } from '../../db/database.ts'
import { countUnacknowledged } from './feed-rows.store.ts'

/** Enough to see that something is wrong. */
const countedAtMost = 1_000
const freshForMs = 30_000

/**
 * Returns a function that counts the contracts that wait for the back office, at most every 30 seconds and up to 1,000. It returns undefined
 * while the database does not answer.
 */
export function watchUnacknowledged(operator: Database): () => Promise<number | undefined> {
  let known: { count: Promise<number | undefined>; readAt: number } | undefined
  return () => {
    const now = performance.now()
    if (known === undefined || now - known.readAt > freshForMs)
      known = { count: countUnacknowledged(operator, countedAtMost).catch(() => undefined), readAt: now }
    return known.count
  }
}
