import type { Database, Queryable } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Id } from '../../kernel/ids.ts'

/** How far setting a customer up at the processor has come. */
export interface ProcessorCustomer {
  /** Null until the processor's answer was stored. */
  processorCustomerId: string | null
  /** True where an earlier call may have left something at the processor under a key that it has forgotten by now. */
  keysMayBeForgotten: boolean
}

/**
 * Notes that the processor is about to be asked, the first time. The processor remembers idempotency keys for 24 hours; 23
 * leave room for clocks that differ and calls that last. Real time, whatever the sandbox's clock says.
 */
export async function markProcessorAsked(
  db: Database,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<ProcessorCustomer> {
  const [row] = await db.query<ProcessorCustomer>(sql`
    update customers set processor_asked_at = coalesce(processor_asked_at, clock_timestamp())
     where partner_id = ${partnerId} and customer_id = ${customerId}
    returning processor_customer_id as "processorCustomerId",
              processor_asked_at < clock_timestamp() - interval '23 hours' as "keysMayBeForgotten"`)
  // A tenant removed at this very moment: whatever is made at the processor is found to be nobody's when it is recorded.
  return row ?? { processorCustomerId: null, keysMayBeForgotten: false }
}

/** Keeps the first id ever stored. */
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
