import type { Pool } from 'pg'

/** PostgreSQL needs milliseconds for a transaction of ours. A longer one has mostly waited, such as for a lock. */
const longMs = 1_000

const reports = new WeakMap<Pool, (tookMs: number) => void>()
let count = 0

/** How many transactions of this process that may write have kept a connection for more than a second. */
export function countSlowTransactions(): number {
  return count
}

/** Calls `report` after each of them. */
export function onSlowTransaction(pool: Pool, report: (tookMs: number) => void): void {
  reports.set(pool, report)
}

/** To be called when a transaction that may write has ended, which got its connection at `begunAt` (`performance.now()`). */
export function noteTransaction(pool: Pool, begunAt: number): void {
  const tookMs = performance.now() - begunAt
  if (tookMs <= longMs) return
  count += 1
  reports.get(pool)?.(Math.round(tookMs))
}
