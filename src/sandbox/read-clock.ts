import type { Caller } from '../partners/caller.ts'
import { findPartner } from '../partners/partners.store.ts'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { SandboxClock } from './advance-clock.ts'

/** GET /Sandbox/clock: the partner's clock. */
export async function readClock(
  { db, clock }: { db: Database; clock: Clock },
  { partnerId }: Caller,
): Promise<SandboxClock> {
  const partner = await findPartner(db, partnerId)
  if (partner === undefined) throw new Error('the caller has no partner')
  const offsetSeconds = partner.clockOffsetSeconds
  return { now: new Date(clock.now().getTime() + offsetSeconds * 1000), offsetSeconds }
}
