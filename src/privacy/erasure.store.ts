import type { Queryable, Tx } from '../platform/db/database.ts'
import { empty, sql } from '../platform/db/sql.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** Finds an earlier erasure of the customer; undefined if there is none. */
export async function findErasure(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<{ erasedAt: Date; retainedUntil: IsoDate | null } | undefined> {
  const [row] = await db.query<{ erasedAt: Date; retainedUntil: IsoDate | null }>(sql`
    select erased_at as "erasedAt", retained_until::text as "retainedUntil"
      from customers where partner_id = ${partnerId} and customer_id = ${customerId} and erased_at is not null`)
  return row
}

/**
 * Those of these customers who are not erased although the ledger says so. Leaves out those who agreed to a contract
 * after the entry, or whose abandoned quote has been priced again: its transaction cannot have committed.
 */
export function listMissedErasures(
  db: Queryable,
  partnerId: Id<'partner'>,
  entries: readonly { customerId: Id<'tenant'>; erasedAt: Date; reason: string }[],
): Promise<{ customerId: Id<'tenant'> }[]> {
  return db.query(sql`
    select distinct c.customer_id as "customerId"
      from unnest(${entries.map(({ customerId }) => customerId)}::text[],
                  ${entries.map(({ erasedAt }) => erasedAt)}::timestamptz[],
                  ${entries.map(({ reason }) => reason)}::text[]) as entry (customer_id, erased_at, reason)
      join customers c on c.partner_id = ${partnerId} and c.customer_id = entry.customer_id and c.erased_at is null
      join quotes q on q.partner_id = ${partnerId} and q.quote_id = c.quote_id
     where not (entry.reason = 'retention' and q.expires_at > entry.erased_at)
       and not exists (select from contracts k
                        where k.partner_id = ${partnerId} and k.customer_id = c.customer_id
                          and k.agreed_at > entry.erased_at)`)
}

/** Whether anybody who ever was on the quote has not been erased. */
export async function hasPersons(
  tx: Tx,
  { partnerId, quoteId }: { partnerId: Id<'partner'>; quoteId: Id<'quote'> },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from customers where partner_id = ${partnerId} and quote_id = ${quoteId} and erased_at is null limit 1`)
  return rows.length > 0
}

/** A quote to remove data from. `expiresAt` is in PostgreSQL's spelling. */
export interface AbandonedQuote {
  quoteId: Id<'quote'>
  expiresAt: string
}

/**
 * The partner's quotes whose price and lock ended before `before` and that still contain data to erase: the personal
 * data of people without a contract or, if nobody on the quote has a contract, the quote's reference. At most `limit`
 * after the quote `after`, in the order in which they expired.
 */
export function listAbandonedQuotes(
  db: Queryable,
  partnerId: Id<'partner'>,
  { before, after, limit }: { before: Date; after: AbandonedQuote | undefined; limit: number },
): Promise<AbandonedQuote[]> {
  return db.query<AbandonedQuote>(sql`
    select q.quote_id as "quoteId", q.expires_at::text as "expiresAt" from quotes q
     where q.partner_id = ${partnerId} and q.persons_removed_at is null and q.expires_at > '-infinity'
       and q.expires_at < ${before}
       ${after === undefined ? empty : sql`and (q.expires_at, q.quote_id) > (${after.expiresAt}::timestamptz, ${after.quoteId})`}
       and coalesce(q.locked_until < ${before}, true)
       and (exists (select from customers c
                     where c.partner_id = q.partner_id and c.quote_id = q.quote_id and c.status <> 'OnboardingComplete'
                       and c.erased_at is null and (c.replaces_customer_id is null or c.created_at < ${before}))
            or not exists (select from customers c
                            where c.partner_id = q.partner_id and c.quote_id = q.quote_id
                              and c.status = 'OnboardingComplete'))
     order by q.expires_at, q.quote_id limit ${limit}`)
}

/** A customer whose records need no longer be kept, and the last of their contracts. */
export interface CustomerPastRetention {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  contractNumber: string
  lastDay: IsoDate
}

/**
 * The partner's customers whose contracts all ended before `endedBefore`, so that their records need no longer be kept.
 * At most `limit` after the customer `after`, in the order in which their last contracts ended.
 */
export function listCustomersPastRetention(
  db: Queryable,
  partnerId: Id<'partner'>,
  { endedBefore, after, limit }: { endedBefore: IsoDate; after: CustomerPastRetention | undefined; limit: number },
): Promise<CustomerPastRetention[]> {
  return db.query<CustomerPastRetention>(sql`
    select k.customer_id as "customerId", k.quote_id as "quoteId", k.contract_number as "contractNumber",
           k.last_day::text as "lastDay"
      from contracts k
     where k.partner_id = ${partnerId} and k.acceptance is not null and k.last_day > '-infinity'
       and k.last_day < ${endedBefore}
       ${after === undefined ? empty : sql`and (k.last_day, k.contract_number) > (${after.lastDay}::date, ${after.contractNumber})`}
       and not exists (select from contracts other
                        where other.partner_id = k.partner_id and other.customer_id = k.customer_id
                          and (other.last_day >= ${endedBefore}
                               or other.acceptance is not null
                                  and (other.last_day, other.contract_number) > (k.last_day, k.contract_number)))
     order by k.last_day, k.contract_number limit ${limit}`)
}
