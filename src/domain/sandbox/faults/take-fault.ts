import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { Fault } from './fault.ts'
import { takeFault as takeOldest } from './faults.store.ts'

/** Uses the oldest fault that the partner asked for in calls of this operation; undefined if none is left. `db` is the partner's. */
export function takeFault(
  { db, clock }: { db: Database; clock: Clock },
  call: { partnerId: Id<'partner'>; operationId: string },
): Promise<Fault | undefined> {
  return takeOldest(db, call.partnerId, call.operationId, clock.now())
}
