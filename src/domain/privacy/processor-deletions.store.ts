import type { Database } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Id } from '../../kernel/ids.ts'

/** A customer the processor is to delete. */
export interface DueDeletion {
  customerId: Id<'tenant'>
  partnerId: Id<'partner'>
  /** Null where the processor's answer was lost: it has to be looked for. */
  processorCustomerId: string | null
  /** This time included. */
  askedCount: number
}

/**
 * Of all partners' those that waited the longest, and moves their time ahead, further every time up to a day: what is not
 * finished has its turn again.
 */
export function claimDueDeletions(db: Database, limit: number): Promise<DueDeletion[]> {
  return db.query<DueDeletion>(sql`
    with due as (
      select customer_id from processor_deletions where due_at <= clock_timestamp()
       order by due_at limit ${limit} for update skip locked)
    update processor_deletions d
       set asked_count = asked_count + 1,
           due_at = clock_timestamp() + least(interval '1 minute' * power(2, least(asked_count, 20)), interval '1 day')
      from due where d.customer_id = due.customer_id
    returning d.customer_id as "customerId", d.partner_id as "partnerId", d.processor_customer_id as "processorCustomerId",
              d.asked_count as "askedCount"`)
}

export async function deleteDeletion(db: Database, { partnerId, customerId }: DueDeletion): Promise<void> {
  await db.query(sql`delete from processor_deletions where partner_id = ${partnerId} and customer_id = ${customerId}`)
}
