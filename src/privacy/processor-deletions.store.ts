import type { Database } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** A customer to delete at the processor. */
export interface DueDeletion {
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

/** Removes a finished deletion from the queue. */
export async function removeFromDeletionQueue(db: Database, { partnerId, customerId }: DueDeletion): Promise<void> {
  await db.query(sql`delete from processor_deletions where partner_id = ${partnerId} and customer_id = ${customerId}`)
}
