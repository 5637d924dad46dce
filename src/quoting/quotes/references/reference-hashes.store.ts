import type { Queryable } from '../../../platform/db/database.ts'
import { type Sql, sql } from '../../../platform/db/sql.ts'
import type { Id } from '../../../platform/kernel/ids.ts'
import type { StoredReference } from './reference.ts'

type StaleReference = { [Member in keyof StoredReference]: string } & { quoteId: Id<'quote'> }

/** How many references of the partner `listStaleReferences` would list. */
export async function countStaleReferences(db: Queryable, partnerId: string, keyId: string): Promise<number> {
  const [row] = await db.query<{ quotes: number }>(sql`
    select count(*)::integer as quotes from quotes
     where partner_id = ${partnerId} and split_part(reference_hash, '.', 1) <> ${keyId}`)
  return row?.quotes ?? 0
}

/**
 * The partner's next references, in the order of their quotes' ids, whose hash was not made with the key that has this
 * id.
 */
export function listStaleReferences(
  db: Queryable,
  partnerId: string,
  { keyId, after, limit }: { keyId: string; after: string; limit: number },
): Promise<StaleReference[]> {
  return db.query<StaleReference>(sql`
    select quote_id as "quoteId", reference_encrypted as encrypted, reference_hash as hash from quotes
     where partner_id = ${partnerId} and quote_id > ${after} and split_part(reference_hash, '.', 1) <> ${keyId}
     order by quote_id limit ${limit}`)
}

/** Replaces hashes, except those that have changed since they were read. Returns how many it replaced. */
export async function replaceReferenceHashes(
  db: Queryable,
  partnerId: string,
  changes: readonly { quoteId: string; before: string; after: string }[],
): Promise<number> {
  const rows = await db.query(sql`
    update quotes set reference_hash = change.after
      from unnest(${changes.map(({ quoteId }) => quoteId)}::text[], ${changes.map(({ before }) => before)}::text[],
                  ${changes.map(({ after }) => after)}::text[]) as change (quote_id, before, after)
     where quotes.partner_id = ${partnerId} and quotes.quote_id = change.quote_id
       and quotes.reference_hash = change.before
    returning 1`)
  return rows.length
}

/** The SQL of the encrypted reference of the quote that an event or delivery is about; null if it is about no quote. */
export function referenceOf(row: Sql): Sql {
  return sql`(select q.reference_encrypted from quotes q where q.partner_id = ${row}.partner_id and q.quote_id = ${row}.quote_id)`
}
