import type { Database, Queryable } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/**
 * A setup intent that is due for a check with the processor: it is open, or the card that it attached is not known yet.
 */
export interface IntentToCheck {
  setupIntentId: string
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  revision: number
  /** True if the intent has succeeded, and only its card is missing. */
  needsCard: boolean
  /** True if the lock of its quote ended while it was unfinished. */
  isToCancel: boolean
  /** How many checks have run since the processor last reported a change. */
  checkCount: number
}

/**
 * Claims up to `batch` intents that are due for a check, across all partners, longest overdue first. Schedules the next
 * check of each intent for five minutes from now. Until then, no other process checks it; after that, the check is
 * retried if this process died or the processor was down.
 */
export function claimIntentsToCheck(db: Database, batch: number): Promise<IntentToCheck[]> {
  return db.query<IntentToCheck>(sql`
    with due as (
      select setup_intent_id, partner_id, retry_at as was_due_at from setup_intents
       where (status not in ('succeeded', 'canceled') or (status = 'succeeded' and card_encrypted is null))
         and retry_at <= statement_timestamp()
       order by retry_at limit ${batch} for update skip locked),
    claimed as (
      update setup_intents s set retry_at = clock_timestamp() + interval '5 minutes'
        from due where s.partner_id = due.partner_id and s.setup_intent_id = due.setup_intent_id
      returning s.setup_intent_id, s.customer_id, s.partner_id, s.revision, s.attempt_count,
                s.status = 'succeeded' as needs_card, s.cancel_wanted, due.was_due_at)
    select claimed.setup_intent_id as "setupIntentId", customer_id as "customerId", c.quote_id as "quoteId",
           partner_id as "partnerId", claimed.revision, claimed.needs_card as "needsCard",
           claimed.cancel_wanted as "isToCancel", claimed.attempt_count as "checkCount"
      from claimed join customers c using (partner_id, customer_id) order by claimed.was_due_at`)
}

/**
 * Records that an intent was checked, and schedules the next check. The interval doubles each time, up to a week. If
 * the condition 'unless changed' is given and the intent has changed since it was claimed, does nothing, because that
 * change already scheduled the next check.
 */
export async function recordIntentCheck(
  db: Queryable,
  { partnerId, setupIntentId, revision, checkCount }: IntentToCheck,
  condition?: 'unless changed',
): Promise<void> {
  const unlessChanged = condition === undefined ? empty : sql`and revision = ${revision}`
  await db.query(sql`
    update setup_intents
       set attempt_count = ${checkCount + 1},
           retry_at = clock_timestamp() + least(interval '5 minutes' * power(2, least(${checkCount + 1}::int, 20)),
                                                interval '7 days')
     where partner_id = ${partnerId} and setup_intent_id = ${setupIntentId} ${unlessChanged}`)
}
