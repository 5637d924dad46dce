import type { Database, Queryable } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Id } from '../../kernel/ids.ts'

/** A customer's state at the processor. */
export interface ProcessorCustomer {
  /** Null until the processor's response has been stored. */
  processorCustomerId: string | null
  /** True if an earlier call may have created something under an idempotency key that the processor has forgotten. */
  keysMayBeForgotten: boolean
}

/**
 * Records the time of the first call to the processor. The processor remembers idempotency keys for 24 hours. We rely on this for
 * only 23 hours, to allow for clock differences and slow calls. Uses real time, not the sandbox clock.
 */
export async function recordFirstProcessorCall(
  db: Database,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<ProcessorCustomer> {
  const [row] = await db.query<ProcessorCustomer>(sql`
    update customers set processor_asked_at = coalesce(processor_asked_at, clock_timestamp())
     where partner_id = ${partnerId} and customer_id = ${customerId}
    returning processor_customer_id as "processorCustomerId",
              processor_asked_at < clock_timestamp() - interval '23 hours' as "keysMayBeForgotten"`)
  // The tenant has just been removed. Whatever the call creates at the processor is ignored when its response is recorded.
  return row ?? { processorCustomerId: null, keysMayBeForgotten: false }
}

/** Stores the processor's customer id, unless one is already stored. */
export async function updateProcessorCustomer(
  db: Queryable,
  {
    partnerId,
    customerId,
    processorCustomerId,
  }: { partnerId: Id<'partner'>; customerId: Id<'tenant'>; processorCustomerId: string },
): Promise<void> {
  await db.query(sql`
    update customers set processor_customer_id = coalesce(processor_customer_id, ${processorCustomerId})
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
}
