import type { Queryable, Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { StoredReference } from './reference.ts'

/** A partner of quotes whose reference is not encrypted yet; undefined if there are none. */
export async function findPartnerWithPlainReferences(db: Queryable): Promise<Id<'partner'> | undefined> {
  const [row] = await db.query<{ partnerId: Id<'partner'> }>(
    sql`select partner_id as "partnerId" from plain_references order by partner_id limit 1`,
  )
  return row?.partnerId
}

/** Takes up to `limit` references that are not encrypted yet. May return none if another process has taken them in the meantime. */
export function takePlainReferences(
  tx: Tx,
  partnerId: Id<'partner'>,
  limit: number,
): Promise<{ quoteId: Id<'quote'>; reference: string }[]> {
  return tx.query(sql`
    delete from plain_references where partner_id = ${partnerId} and quote_id in (
      select quote_id from plain_references where partner_id = ${partnerId} order by quote_id limit ${limit})
    returning quote_id as "quoteId", reference`)
}

export async function storeReferences(
  tx: Tx,
  partnerId: Id<'partner'>,
  references: readonly (StoredReference & { quoteId: Id<'quote'> })[],
): Promise<void> {
  await tx.query(sql`
    update quotes set reference_encrypted = given.encrypted, reference_hash = given.hash
      from unnest(${references.map(({ quoteId }) => quoteId)}::text[], ${references.map(({ encrypted }) => encrypted)}::text[],
                  ${references.map(({ hash }) => hash)}::text[]) as given (quote_id, encrypted, hash)
     where quotes.partner_id = ${partnerId} and quotes.quote_id = given.quote_id`)
}
