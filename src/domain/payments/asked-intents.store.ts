import type { Database, Queryable } from '../../db/database.ts'
import { empty, sql } from '../../db/sql.ts'
import type { Id } from '../../kernel/ids.ts'

/** An open intent whose turn to be asked about has come. */
export interface IntentToAsk {
  setupIntentId: string
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  revision: number
  /** How often it was asked about since the processor last told something of it. */
  askedCount: number
}

/**
 * Of all partners' open intents those that were silent the longest, at most `batch`, and moves their time ahead: nobody else
 * asks about them meanwhile, and one whose asker dies or finds the processor down has its turn again in five minutes.
 */
export function claimIntentsToAsk(db: Database, batch: number): Promise<IntentToAsk[]> {
  return db.query<IntentToAsk>(sql`
    with due as (
      select setup_intent_id, ask_after as silent_since from setup_intents
       where status not in ('succeeded', 'canceled') and ask_after <= clock_timestamp()
       order by ask_after limit ${batch} for update skip locked),
    claimed as (
      update setup_intents s set ask_after = clock_timestamp() + interval '5 minutes'
        from due where s.setup_intent_id = due.setup_intent_id
      returning s.setup_intent_id, s.customer_id, s.partner_id, s.revision, s.asked_count, due.silent_since)
    select claimed.setup_intent_id as "setupIntentId", claimed.customer_id as "customerId", c.quote_id as "quoteId",
           claimed.partner_id as "partnerId", claimed.revision, claimed.asked_count as "askedCount"
      from claimed join customers c using (customer_id) order by claimed.silent_since`)
}

/**
 * It was asked about: the next time is twice as far away as this one was, a week at most. Unless heard: whatever was heard since it was
 * claimed has set the next time.
 */
export async function updateAsked(
  db: Queryable,
  { partnerId, setupIntentId, revision, askedCount }: IntentToAsk,
  condition?: 'unless heard',
): Promise<void> {
  const unlessHeard = condition === undefined ? empty : sql`and revision = ${revision}`
  await db.query(sql`
    update setup_intents
       set asked_count = ${askedCount + 1},
           ask_after = clock_timestamp() + least(interval '5 minutes' * power(2, least(${askedCount + 1}::int, 20)), interval '7 days')
     where partner_id = ${partnerId} and setup_intent_id = ${setupIntentId} ${unlessHeard}`)
}
