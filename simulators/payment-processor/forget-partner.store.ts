import type { Queryable } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { deleteResponsesAbout } from './protocol/idempotent-responses.store.ts'
import type { Seal } from './seal.ts'

/** Deletes everything of one partner. If it ends early, it can be repeated. Events are found by their text, because a sandbox has few. */
export async function forgetPartner(db: Queryable, seal: Seal, partnerId: string): Promise<void> {
  const owner = JSON.stringify({ housebill_partner_id: partnerId })
  await db.query(sql`
    delete from simulated_processor.payment_methods where customer_id in (
      select id from simulated_processor.customers where object -> 'metadata' @> ${owner}::jsonb)`)
  await db.query(sql`delete from simulated_processor.customers where object -> 'metadata' @> ${owner}::jsonb`)
  await db.query(sql`delete from simulated_processor.setup_intents where object -> 'metadata' @> ${owner}::jsonb`)
  for (const table of [sql`refunds`, sql`disputes`])
    await db.query(sql`
      delete from simulated_processor.${table} where payment_intent in (
        select id from simulated_processor.payment_intents where object -> 'metadata' @> ${owner}::jsonb)`)
  await db.query(sql`delete from simulated_processor.payment_intents where object -> 'metadata' @> ${owner}::jsonb`)
  await db.query(sql`delete from simulated_processor.events where strpos(body, ${partnerId}) > 0`)
  await db.query(sql`delete from simulated_processor.outgoing_webhooks where partner_id = ${partnerId}`)
  await deleteResponsesAbout(db, seal, partnerId)
  await db.query(sql`delete from simulated_processor.steering where partner_id = ${partnerId}`)
}
