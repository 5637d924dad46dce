import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { PsrChange } from './feed-changes.ts'

/**
 * What is to be registered of a customer: nothing (no needs, or no contract in force), needs that have all ended, or
 * needs.
 */
export type ToRegister = 'nothing' | 'ended needs' | 'needs'

/** A customer who is or was to be registered. */
interface Registration {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  isErased: boolean
  toRegister: ToRegister
  /** What the entry says last; null without an entry. */
  lastChange: PsrChange | null
}

/** Those of the customers who have needs or an entry. */
export function listRegistrations(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
): Promise<Registration[]> {
  return tx.query<Registration>(sql`
    select c.customer_id as "customerId", c.quote_id as "quoteId", c.erased_at is not null as "isErased",
           e.change as "lastChange",
           case when c.psr_review_on is null or (
                       select count(*) from contracts k
                        where k.partner_id = c.partner_id and k.customer_id = c.customer_id
                          and k.status = 'in_force') = 0
                then 'nothing'
                when c.psr_review_on = '-infinity' then 'ended needs'
                else 'needs' end as "toRegister"
      from customers c
      left join psr_entries e on e.partner_id = c.partner_id and e.customer_id = c.customer_id
     where c.partner_id = ${partnerId} and c.customer_id = any(${[...customerIds]}::text[])
       and (c.psr_review_on is not null or e.customer_id is not null)
     order by c.customer_id`)
}

/** Stores what happened as a new version of the customer's entry, at the end of the feed. */
export async function putPsrEntry(
  tx: Tx,
  entry: { partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'>; change: PsrChange },
): Promise<void> {
  await tx.query(sql`
    insert into psr_entries (customer_id, partner_id, quote_id, version, change)
    values (${entry.customerId}, ${entry.partnerId}, ${entry.quoteId}, 1, ${entry.change})
    on conflict (customer_id, partner_id) do update
       set version = psr_entries.version + 1, change = excluded.change, changed_at = excluded.changed_at,
           transaction_id = excluded.transaction_id, position = null, positioned_at = null`)
}

/** Deletes the customer's entry if its last version has been acknowledged. */
export async function deleteClosedEntry(tx: Tx, partnerId: Id<'partner'>, customerId: Id<'tenant'>): Promise<void> {
  await tx.query(sql`
    delete from psr_entries
     where partner_id = ${partnerId} and customer_id = ${customerId} and acknowledged_version = version`)
}

/**
 * Gives positions to entries that changed, as `assignPositions` does. A withdrawal that nobody has acknowledged
 * for a day moves to the end of the feed. Does nothing while another process is placing.
 */
export async function assignPsrPositions(tx: Tx): Promise<void> {
  const [feed] = await tx.query<{ lastPosition: string }>(sql`
    select last_psr_position::text as "lastPosition" from contract_feed for update skip locked`)
  if (feed === undefined) return
  await tx.query(sql`
    with waiting as (
      select customer_id, row_number() over (order by transaction_id, customer_id) as rank
        from (select customer_id, transaction_id from psr_entries
               where (position is null and transaction_id < pg_snapshot_xmin(pg_current_snapshot()))
                  or (change = 'withdrawn' and acknowledged_version < version
                      and positioned_at < now() - interval '1 day')) due),
    positioned as (
      update psr_entries e set position = ${feed.lastPosition}::bigint + rank, positioned_at = now()
        from waiting where e.customer_id = waiting.customer_id
      returning 1),
    counted as (select count(*)::int as positioned from positioned)
    update contract_feed set last_psr_position = last_psr_position + positioned from counted`)
}

/** How far an entry has been acknowledged. */
export interface PsrAcknowledgement {
  version: number
  acknowledgedVersion: number
  reference: string | null
  acknowledgedAt: Date | null
}

/** A customer's entry, locked until the transaction ends; undefined if there is none. */
export async function lockPsrEntry(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<PsrAcknowledgement | undefined> {
  const [row] = await tx.query<PsrAcknowledgement>(sql`
    select version, acknowledged_version as "acknowledgedVersion", reference, acknowledged_at as "acknowledgedAt"
      from psr_entries where partner_id = ${partnerId} and customer_id = ${customerId} for update`)
  return row
}

/**
 * Stores that a version has been taken over. Then deletes the entry if the customer is erased and it was a withdrawal.
 */
export async function acknowledgePsrEntry(
  tx: Tx,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  { version, reference, acknowledgedAt }: { version: number; reference: string; acknowledgedAt: Date },
): Promise<void> {
  await tx.query(sql`
    update psr_entries set acknowledged_version = ${version}, reference = ${reference},
      acknowledged_at = ${acknowledgedAt}
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
  await tx.query(sql`
    delete from psr_entries e using customers c
     where e.partner_id = ${partnerId} and e.customer_id = ${customerId} and e.change = 'withdrawn'
       and e.acknowledged_version = e.version
       and c.partner_id = ${partnerId} and c.customer_id = ${customerId} and c.erased_at is not null`)
}
