import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { findEndOfFullAccess } from './operator-credentials.store.ts'

const freshForMs = 30_000

/** When nobody at the operator's has every scope any more. */
export interface EndOfFullAccess {
  endsAt: Date
  /** Negative once it has ended. */
  secondsLeft: number
}

/**
 * When the last of the operator's credentials with every scope expires. Undefined if one of them never does, or there
 * is none.
 */
export async function readEndOfFullAccess({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<EndOfFullAccess | undefined> {
  const endsAt = await findEndOfFullAccess(db)
  return endsAt && { endsAt, secondsLeft: (endsAt.getTime() - clock.now().getTime()) / 1_000 }
}

/**
 * Returns a function that reads this at most every 30 seconds. It returns undefined while the database does not
 * response, too.
 */
export function watchFullAccess(deps: { db: Database; clock: Clock }): () => Promise<EndOfFullAccess | undefined> {
  let known: { end: Promise<EndOfFullAccess | undefined>; readAt: number } | undefined
  return () => {
    const now = performance.now()
    if (known === undefined || now - known.readAt > freshForMs)
      known = { end: readEndOfFullAccess(deps).catch(() => undefined), readAt: now }
    return known.end
  }
}
