import type { Caller } from '../partners/caller.ts'
import type { ProcessorBehaviour, SandboxProcessor } from '../payments/sandbox-processor.ts'
import { insertAuditEntry } from '../platform/audit/audit-log.store.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import { requireSimulator } from './sandbox-dependencies.ts'

/**
 * POST /Sandbox/payment-processor/webhooks and /outage: sets how the simulated processor treats this partner's
 * customers and intents. The setting is kept when the sandbox restarts. Repeating the call changes nothing.
 */
export async function steerProcessor(
  { db, sandboxProcessor }: { db: Database; sandboxProcessor: SandboxProcessor | undefined },
  caller: Caller,
  change: Partial<ProcessorBehaviour>,
): Promise<ProcessorBehaviour> {
  const steering = await requireSimulator(sandboxProcessor).changeBehaviour(caller.partnerId, change)
  return inTransaction(db, caller, async (tx) => {
    await insertAuditEntry(tx, caller.partnerId, {
      action: 'asked',
      subjectType: 'simulated processor',
      subjectId: caller.partnerId,
      quoteId: null,
      customerId: null,
      fields: Object.keys(change),
    })
    return steering
  })
}
