import type { Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Id } from '../../../kernel/ids.ts'

/**
 * Deletes at most `limit` of the partner's quotes with everything that belongs to them. Returns how many it deleted. It is one statement, because
 * customers and contracts refer to each other, and foreign keys are checked at the end of a statement.
 */
export async function deleteQuotes(tx: Tx, partnerId: Id<'partner'>, limit: number): Promise<number> {
  const [row] = await tx.query<{ deleted: number }>(sql`
    with q as (select quote_id from quotes where partner_id = ${partnerId} order by quote_id limit ${limit} for update),
    c as (select customer_id from customers where partner_id = ${partnerId} and quote_id in (select quote_id from q)),
    k as (select contract_number from contracts where partner_id = ${partnerId} and quote_id in (select quote_id from q)),
    d16 as (delete from refund_orders where partner_id = ${partnerId} and customer_id in (select customer_id from c)),
    d1 as (delete from payment_reports where partner_id = ${partnerId} and customer_id in (select customer_id from c)),
    d2 as (delete from payment_entries where partner_id = ${partnerId} and customer_id in (select customer_id from c)),
    d3 as (delete from setup_intents where partner_id = ${partnerId} and customer_id in (select customer_id from c)),
    d4 as (delete from shown_terms where partner_id = ${partnerId} and customer_id in (select customer_id from c)),
    d0 as (delete from tenant_mails where partner_id = ${partnerId} and customer_id in (select customer_id from c)),
    d5 as (delete from contract_documents where partner_id = ${partnerId} and customer_id in (select customer_id from c)),
    d6 as (delete from psr_entries where partner_id = ${partnerId} and customer_id in (select customer_id from c)),
    d7 as (delete from commission_entries where partner_id = ${partnerId} and contract_number in (select contract_number from k)),
    d8 as (delete from contract_acknowledgements where partner_id = ${partnerId} and contract_number in (select contract_number from k)),
    d9 as (delete from contract_corrections where partner_id = ${partnerId} and quote_id in (select quote_id from q)),
    d10 as (delete from contract_versions where partner_id = ${partnerId} and contract_number in (select contract_number from k)),
    d11 as (delete from contracts where partner_id = ${partnerId} and contract_number in (select contract_number from k)),
    d12 as (delete from customers where partner_id = ${partnerId} and customer_id in (select customer_id from c)),
    d13 as (delete from service_reports where partner_id = ${partnerId} and quote_id in (select quote_id from q)),
    d14 as (delete from plain_references where partner_id = ${partnerId} and quote_id in (select quote_id from q)),
    d15 as (delete from quotes where partner_id = ${partnerId} and quote_id in (select quote_id from q) returning 1)
    select count(*)::int as deleted from d15`)
  return row?.deleted ?? 0
}

/** Deletes at most `limit` of the partner's events with their deliveries. Returns how many it deleted. */
export async function deleteEvents(tx: Tx, partnerId: Id<'partner'>, limit: number): Promise<number> {
  const [row] = await tx.query<{ deleted: number }>(sql`
    with e as (select event_id from events where partner_id = ${partnerId} order by event_number limit ${limit}),
    d1 as (delete from delivery_queue where partner_id = ${partnerId} and event_id in (select event_id from e)),
    d2 as (delete from delivery_history where partner_id = ${partnerId} and event_id in (select event_id from e)),
    d3 as (delete from events where partner_id = ${partnerId} and event_id in (select event_id from e) returning 1)
    select count(*)::int as deleted from d3`)
  return row?.deleted ?? 0
}

/** Deletes what belongs to no quote, and sets the partner's clock back to real time. Keeps responses of requests that have not ended. */
export async function deleteEverythingElse(tx: Tx, partnerId: Id<'partner'>): Promise<void> {
  await tx.query(sql`delete from replays where partner_id = ${partnerId}`)
  await tx.query(sql`delete from delivery_queue where partner_id = ${partnerId}`)
  await tx.query(sql`delete from delivery_history where partner_id = ${partnerId}`)
  await tx.query(sql`delete from availability_requests where partner_id = ${partnerId}`)
  await tx.query(sql`delete from broadband_checks where partner_id = ${partnerId}`)
  await tx.query(sql`delete from broadband_steering where partner_id = ${partnerId}`)
  await tx.query(sql`delete from processor_deletions where partner_id = ${partnerId}`)
  await tx.query(sql`delete from commission_closings where partner_id = ${partnerId}`)
  await tx.query(sql`delete from sandbox_requests where partner_id = ${partnerId}`)
  await tx.query(sql`delete from sandbox_faults where partner_id = ${partnerId}`)
  await tx.query(sql`delete from idempotency_keys where partner_id = ${partnerId} and answer_encrypted is not null`)
  await tx.query(sql`
    update partners set clock_offset_seconds = 0, sandbox_faults_until = null where partner_id = ${partnerId}`)
}
