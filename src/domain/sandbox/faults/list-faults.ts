import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Caller } from '../../auth/caller.ts'
import type { Fault } from './fault.ts'
import { listFaults as selectFaults } from './faults.store.ts'

/** GET /Sandbox/faults: the faults that have calls left, oldest first. */
export function listFaults({ db, clock }: { db: Database; clock: Clock }, { partnerId }: Caller): Promise<Fault[]> {
  return selectFaults(db, partnerId, clock.now())
}
