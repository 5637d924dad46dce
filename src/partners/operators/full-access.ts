import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { watched } from '../../platform/kernel/refreshed.ts'
import { findEndOfFullAccess } from './operator-credentials.store.ts'

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
 * respond, too.
 */
export function watchFullAccess(deps: { db: Database; clock: Clock }): () => Promise<EndOfFullAccess | undefined> {
  return watched(() => readEndOfFullAccess(deps), 30_000)
}
