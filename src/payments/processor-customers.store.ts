import type { Database, Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { type NewProcessorCustomer, storingProcessorCustomer } from '../quoting/tenants/processor-customer.store.ts'

/**
 * Stores the processor's customer id, unless another one than `replaces` is stored or the customer was erased or
 * removed. Cards that were attached to the one that it replaces are missing from then on. Returns whether the id is the
 * stored one.
 */
export async function replaceProcessorCustomer(db: Database, customer: NewProcessorCustomer): Promise<boolean> {
  const rows = await db.query(sql`
    with stored as (${storingProcessorCustomer(customer)}),
    missing as (
      update setup_intents i set card_missing = true from stored
       where i.partner_id = stored.partner_id and i.customer_id = stored.customer_id
         and i.processor_customer_id = ${customer.replaces})
    select from stored`)
  return rows.length > 0
}

/** Records that the processor no longer has the card that an intent attached. */
export async function recordMissingCard(tx: Tx, partnerId: Id<'partner'>, setupIntentId: string): Promise<void> {
  await tx.query(sql`
    update setup_intents set card_missing = true where partner_id = ${partnerId}
        and setup_intent_id = ${setupIntentId}`)
}
