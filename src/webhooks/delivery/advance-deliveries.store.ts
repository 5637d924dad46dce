import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { isNotLeased } from './queue.store.ts'

/**
 * Makes the webhook's queued deliveries due earlier and its streak of failures older. The time of the last failure
 * stays, because a streak with a gap of five days would begin anew.
 */
export async function moveDeliveriesForward(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
  seconds: number,
): Promise<void> {
  await tx.query(sql`
    update delivery_queue d set next_attempt_at = next_attempt_at - ${seconds}::int * interval '1 second'
     where partner_id = ${partnerId} and webhook_id = ${webhookId} and ${isNotLeased}`)
  await tx.query(sql`
    update webhooks set failing_since = failing_since - ${seconds}::int * interval '1 second'
     where partner_id = ${partnerId} and webhook_id = ${webhookId} and failing_since is not null`)
  tx.wakeAfterCommit('deliveries')
}
