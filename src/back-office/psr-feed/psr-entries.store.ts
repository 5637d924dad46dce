import type { PsrChange } from '../../contracts/operator-feeds/feed-changes.ts'
import { latestDay } from '../../partners/partners.store.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { QuotedAddress } from '../../quoting/quotes/quote.ts'

/** An entry of the register feed, before decryption. */
export interface PsrRow {
  position: string
  customerId: Id<'tenant'>
  partnerId: Id<'partner'>
  partnerName: string
  quoteId: Id<'quote'>
  contractNumber: string
  version: number
  change: PsrChange
  changedAt: Date
  isAcknowledged: boolean
  clockOffsetSeconds: number
  /** Null once the registration is withdrawn, as are the next two. */
  psrEncrypted: string | null
  personalEncrypted: string | null
  address: QuotedAddress | null
  corrected: { mpan: string | null; mprn: string | null }
}

/** The entries of all partners after a position, at most `limit`, in the order of their positions. */
export function listPsrRows(
  system: Queryable,
  { after, until, limit }: { after: string; until: string | undefined; limit: number },
): Promise<PsrRow[]> {
  return system.query<PsrRow>(sql`
    select e.position::text as position, e.customer_id as "customerId", e.partner_id as "partnerId",
           p.name as "partnerName",
           e.quote_id as "quoteId", k.contract_number as "contractNumber", e.version, e.change,
           e.changed_at as "changedAt",
           e.acknowledged_version = e.version as "isAcknowledged",
           p.clock_offset_seconds::float8 as "clockOffsetSeconds",
           case when e.change <> 'withdrawn' then c.psr_encrypted end as "psrEncrypted",
           case when e.change <> 'withdrawn' then c.personal_encrypted end as "personalEncrypted",
           case when e.change <> 'withdrawn' then q.address end as address,
           (select jsonb_build_object(
                     'mpan', (array_agg(f.mpan order by f.correction_number desc) filter (where f.mpan is not null))[1],
                     'mprn', (array_agg(f.mprn order by f.correction_number desc) filter (where f.mprn is not null))[1])
              from contract_corrections f where f.partner_id = e.partner_id and f.quote_id = e.quote_id) as corrected
      from psr_entries e
      join customers c on c.partner_id = e.partner_id and c.customer_id = e.customer_id
      join quotes q on q.partner_id = e.partner_id and q.quote_id = e.quote_id
      join partners p on p.partner_id = e.partner_id
      join lateral (select contract_number from contracts
                     where partner_id = e.partner_id and customer_id = e.customer_id and effective_at is not null
                     order by effective_at desc limit 1) k on true
     where e.position > ${after}::bigint ${until === undefined ? empty : sql`and e.position <= ${until}::bigint`}
     order by e.position limit ${limit}`)
}

/**
 * The partner to which a customer with an entry belongs, and how far its sandbox clock is ahead; undefined without an
 * entry.
 */
export async function findOwnerOfPsrEntry(
  system: Queryable,
  customerId: string,
): Promise<{ partnerId: Id<'partner'>; clockOffsetSeconds: number } | undefined> {
  const [row] = await system.query<{ partnerId: Id<'partner'>; clockOffsetSeconds: number }>(sql`
    select p.partner_id as "partnerId", p.clock_offset_seconds::float8 as "clockOffsetSeconds"
      from psr_entries e join partners p using (partner_id) where e.customer_id = ${customerId}`)
  return row
}

/** A customer of whose needs one has ended. */
export interface PsrToReview {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  clockOffsetSeconds: number
  reviewOn: IsoDate
}

/**
 * Customers of all partners of whose needs one has ended, at most `limit` after the customer `after`, in the order of
 * the days on which they ended. `now` is real time; each partner's clock is added to it.
 */
export function listPsrToReview(
  system: Queryable,
  { now, after, limit }: { now: Date; after: PsrToReview | undefined; limit: number },
): Promise<PsrToReview[]> {
  return system.query<PsrToReview>(sql`
    select c.customer_id as "customerId", c.quote_id as "quoteId", c.partner_id as "partnerId",
           p.clock_offset_seconds::float8 as "clockOffsetSeconds", c.psr_review_on::text as "reviewOn"
      from customers c join partners p using (partner_id)
     where isfinite(c.psr_review_on) and c.psr_review_on <= ${latestDay(now)}
       and c.psr_review_on <= ((${now}::timestamptz + make_interval(secs => p.clock_offset_seconds)) at time zone
         'Europe/London')::date
       ${after === undefined ? empty : sql`and (c.psr_review_on, c.customer_id) > (${after.reviewOn}::date, ${after.customerId})`}
     order by c.psr_review_on, c.customer_id limit ${limit}`)
}
