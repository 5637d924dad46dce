import type { Queryable } from '../../../platform/db/database.ts'
import { type Sql, sql } from '../../../platform/db/sql.ts'
import { emailHashes } from '../../../platform/kernel/email.ts'
import type { FieldCipher } from '../../../platform/kernel/field-encryption.ts'
import type { Id } from '../../../platform/kernel/ids.ts'
import type { Customer } from '../../tenants/customer.ts'
import type { Quote } from '../quote.ts'
import { maxNamedOverlaps, type OtherTenancy, type SimilarQuote } from './overlap.ts'

/*
 * A locked quote covers its property and its tenants from its first to its last day. A completed quote does so from the
 * first to the last day of each contract that binds or has bound its tenant. Open quotes cover nothing, because nobody
 * has agreed to anything.
 */

/**
 * How many quotes of one property, or customers with one e-mail address, are looked at: those that end last, and the
 * newest. Real ones have fewer; this keeps reads fast in a sandbox whose tests use the same property thousands of
 * times.
 */
const maxLookedAt = 20

/** The contracts of the quote `o` that cover days. A contract that ended before its first day covers none. */
const coveringContracts = sql`from contracts k
  where k.partner_id = o.partner_id and k.quote_id = o.quote_id and k.status in ('agreed', 'in_force', 'ended')
    and k.last_day >= k.starts_on`

function isLocked(now: Date): Sql {
  return sql`o.stage = 'active' and coalesce(o.locked_until > ${now}, true)`
}

/**
 * Whether the quote `o`, or one of its contracts that meets `which`, covers a day of the contract of the quote `q`.
 * Counts, because PostgreSQL may answer `exists` from a hash table of all the partner's contracts.
 */
function covers(now: Date, which: Sql): Sql {
  return sql`o.contract_start_date <= q.contract_end_date and o.contract_end_date >= q.contract_start_date
    and (${isLocked(now)}
         or o.stage = 'completed' and (select count(*) ${coveringContracts} ${which}
              and k.starts_on <= q.contract_end_date and k.last_day >= q.contract_start_date) > 0)`
}

/**
 * The partner's other quotes `o` that meet `which` and may cover days of the contract of the quote `q`: those that end
 * last. `services` are those that count.
 */
function candidates(which: Sql, services: Sql): Sql {
  return sql`(select o.partner_id, o.quote_id, o.stage, o.contract_start_date, o.contract_end_date, o.locked_until,
              ${services} as services
      from quotes o
     where o.partner_id = q.partner_id and ${which} and o.quote_id <> q.quote_id
       and o.stage in ('active', 'completed') and o.contract_end_date >= q.contract_start_date
     order by o.contract_end_date desc limit ${maxLookedAt})`
}

/**
 * Whether the price of the quote `q` is not agreed and another quote of the partner may cover its property, or one of
 * its meter points, so that `findOverlappingQuotes` is worth asking: usually none does. Part of the statement that
 * reads the quote.
 */
export const mayOverlap = sql`case when q.stage in ('open', 'active') and q.price is not null then exists (
    select from quotes o
     where o.partner_id = q.partner_id
       and (o.address_uid = q.address_uid or o.mpan = q.mpan or o.mprn = q.mprn) and o.quote_id <> q.quote_id
       and o.stage in ('active', 'completed') and o.contract_end_date >= q.contract_start_date) else false end`

/**
 * The ids of the partner's other quotes that cover the property of the quote `q`, or one of its meter points, on some
 * of the same days with some of the same services, while the price of `q` is not agreed. `which` selects `q`.
 */
export async function findOverlappingQuotes(db: Queryable, which: Sql, now: Date): Promise<Id<'quote'>[]> {
  const rows = await db.query<{ quoteId: Id<'quote'> }>(sql`
    select o.quote_id as "quoteId"
      from quotes q cross join lateral (select o.quote_id, max(o.contract_end_date) as last_day
      from (${candidates(sql`o.address_uid = q.address_uid`, sql`o.services`)}
            union all
            ${candidates(
              sql`o.mpan = q.mpan and o.address_uid <> q.address_uid and 'electricity' = any(o.services)`,
              sql`array['electricity']`,
            )}
            union all
            ${candidates(
              sql`o.mprn = q.mprn and o.address_uid <> q.address_uid and 'gas' = any(o.services)`,
              sql`array['gas']`,
            )}) o
     where ${covers(now, sql``)} and o.services && q.services
     group by o.quote_id) o
     where ${which} and q.stage in ('open', 'active') and q.price is not null
     order by o.last_day desc limit ${maxNamedOverlaps}`)
  return rows.map(({ quoteId }) => quoteId)
}

/**
 * The tenants of the partner's other quotes who have this customer's e-mail address and are covered on some of the days
 * of the customer's quote, whatever the services.
 */
export function listOtherTenancies(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, quoteId, personal }: Pick<Customer, 'partnerId' | 'quoteId' | 'personal'>,
  now: Date,
): Promise<OtherTenancy[]> {
  return db.query<OtherTenancy>(sql`
    select c.customer_id as "customerId", c.quote_id as "quoteId"
      from (select * from customers c
             where c.partner_id = ${partnerId} and ${isOneOf(emailHashes(cipher, personal.email))}
               and c.quote_id <> ${quoteId}
               and c.removed_at is null and c.erased_at is null
             order by c.customer_id desc limit ${maxLookedAt}) c
      join quotes o on o.partner_id = c.partner_id and o.quote_id = c.quote_id
      join quotes q on q.partner_id = c.partner_id and q.quote_id = ${quoteId}
     where o.stage in ('active', 'completed') and ${covers(now, sql`and k.customer_id = c.customer_id`)}
     order by c.customer_id desc limit ${maxNamedOverlaps}`)
}

/** With one hash, the index also gives the order, so that only the first rows are read. */
function isOneOf(hashes: readonly string[]): Sql {
  return hashes.length === 1 ? sql`c.email_hash = ${hashes[0]}` : sql`c.email_hash = any(${hashes}::text[])`
}

/**
 * The partner's other quotes of the last 90 days that nobody has completed or cancelled and that may be of the same
 * household: those of the property and those with a tenant's address, at most five of each, the newest first.
 */
export function listSimilarQuotes(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, quoteId, address, tenants, createdAt }: Quote,
): Promise<SimilarQuote[]> {
  const hashes = tenants.flatMap(({ personal }) => emailHashes(cipher, personal.email))
  const isSimilar = sql`o.quote_id <> ${quoteId} and o.stage in ('open', 'active')
    and o.created_at > ${createdAt}::timestamptz - interval '90 days'`
  return db.query<SimilarQuote>(sql`
    (select 'property_already_quoted' as code, o.quote_id as "quoteId" from quotes o
      where o.partner_id = ${partnerId} and o.address_uid = ${address.addressUid} and ${isSimilar}
      order by o.created_at desc limit ${maxNamedOverlaps})
    union all
    (select 'tenant_already_invited', o.quote_id
       from (select distinct c.quote_id from customers c
              where c.partner_id = ${partnerId} and c.email_hash = any(${hashes}::text[]) and c.removed_at is null) c
       join quotes o on o.quote_id = c.quote_id and o.partner_id = ${partnerId}
      where ${isSimilar}
      order by o.created_at desc limit ${maxNamedOverlaps})`)
}
