import type { Database, Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** A customer's state at the processor. */
export interface ProcessorCustomer {
  /** Null until the processor's response has been stored. */
  processorCustomerId: string | null
  /** True if an earlier call may have created something under an idempotency key that the processor has forgotten. */
  keysMayBeForgotten: boolean
}

/**
 * Records the time of the first call to the processor. The processor remembers idempotency keys for 24 hours. We rely
 * on this for only 23 hours, to allow for clock differences and slow calls. Uses real time, not the sandbox clock.
 * Returns undefined if the customer has been erased or removed: nobody would delete what the call creates.
 */
export async function recordFirstProcessorCall(
  db: Database,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<ProcessorCustomer | undefined> {
  const [row] = await db.query<ProcessorCustomer>(sql`
    update customers set processor_asked_at = coalesce(processor_asked_at, clock_timestamp())
     where partner_id = ${partnerId} and customer_id = ${customerId} and erased_at is null and removed_at is null
    returning processor_customer_id as "processorCustomerId",
              processor_asked_at < clock_timestamp() - interval '23 hours' as "keysMayBeForgotten"`)
  return row
}

/**
 * Stores the processor's customer id, unless another one than `replaces` is stored or the customer was erased or
 * removed. Cards that were attached to the one that it replaces are missing from then on. Returns whether the id is the
 * stored one.
 */
export async function replaceProcessorCustomer(
  db: Database,
  {
    partnerId,
    customerId,
    processorCustomerId,
    replaces,
  }: { partnerId: Id<'partner'>; customerId: Id<'tenant'>; processorCustomerId: string; replaces: string | null },
): Promise<boolean> {
  const rows = await db.query(sql`
    with stored as (
      update customers set processor_customer_id = ${processorCustomerId}
       where partner_id = ${partnerId} and customer_id = ${customerId} and erased_at is null and removed_at is null
         and (processor_customer_id is not distinct from ${replaces} or processor_customer_id = ${processorCustomerId})
      returning partner_id, customer_id),
    missing as (
      update setup_intents i set card_missing = true from stored
       where i.partner_id = stored.partner_id and i.customer_id = stored.customer_id
         and i.processor_customer_id = ${replaces})
    select from stored`)
  return rows.length > 0
}

/** Records that the processor no longer has the card that an intent attached. */
export async function recordMissingCard(tx: Tx, partnerId: Id<'partner'>, setupIntentId: string): Promise<void> {
  await tx.query(sql`
    update setup_intents set card_missing = true where partner_id = ${partnerId}
        and setup_intent_id = ${setupIntentId}`)
}
