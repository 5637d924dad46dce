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

/** A customer to delete at the processor. */
interface DueDeletion {
  customerId: Id<'tenant'>
  partnerId: Id<'partner'>
  /**
   * The processor's id for the customer. Null if the response with the id was lost; the customer must then be searched
   * for.
   */
  processorCustomerId: string | null
  /** The number of attempts, including this one. */
  attempts: number
}

/**
 * Claims up to `limit` due deletions of all partners, longest overdue first. Also schedules the next attempt of each
 * one, in case this attempt does not finish. The interval between attempts grows up to a day.
 */
export function claimDueDeletions(db: Database, limit: number): Promise<DueDeletion[]> {
  return db.query<DueDeletion>(sql`
    with due as (
      select customer_id from processor_deletions where due_at <= clock_timestamp()
       order by due_at limit ${limit} for update skip locked)
    update processor_deletions d
       set attempt_count = attempt_count + 1,
           due_at = clock_timestamp() + least(interval '1 minute' * power(2, least(attempt_count, 20)),
                                              interval '1 day')
      from due where d.customer_id = due.customer_id
    returning d.customer_id as "customerId", d.partner_id as "partnerId",
    d.processor_customer_id as "processorCustomerId",
              d.attempt_count as "attempts"`)
}

/**
 * Locks the rows of customers until the transaction ends, so that nothing that refers to them can be added meanwhile,
 * such as a preview that is being shown. If the payment processor may know any of them, queues their deletion there. Is
 * a statement of its own: it waits for a first call to the processor that is being recorded, and then sees it. Returns
 * those of them who never had a contract.
 */
export async function lockToDeleteAtProcessor(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
): Promise<Id<'tenant'>[]> {
  const rows = await tx.query<{ customerId: Id<'tenant'> }>(sql`
    with locked as materialized (
      select customer_id, processor_customer_id, processor_asked_at, contract_number from customers
       where partner_id = ${partnerId} and customer_id = any(${[...customerIds]}::text[])
       order by customer_id for update),
    queued as (
      insert into processor_deletions (customer_id, partner_id, processor_customer_id)
      select customer_id, ${partnerId}, processor_customer_id from locked where processor_asked_at is not null
      on conflict (customer_id, partner_id) do nothing)
    select customer_id as "customerId" from locked where contract_number is null`)
  return rows.map(({ customerId }) => customerId)
}

/** Removes a finished deletion from the queue. */
export async function removeFromDeletionQueue(db: Database, { partnerId, customerId }: DueDeletion): Promise<void> {
  await db.query(sql`delete from processor_deletions where partner_id = ${partnerId} and customer_id = ${customerId}`)
}
