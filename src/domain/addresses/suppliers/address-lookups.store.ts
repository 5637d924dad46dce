import type { Queryable } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { SupplierName } from '../property.ts'
import type { KeptLookup } from './lookup-age.ts'

/** What the supplier last said of the postcode (in its normal form), or null where it was never asked. */
export async function findLookup(db: Queryable, supplier: SupplierName, postcode: string): Promise<KeptLookup | null> {
  const rows = await db.query<KeptLookup>(sql`
    select address_uids as "addressUids", fetched_at as "fetchedAt"
    from address_lookups where source = ${supplier} and postcode = ${postcode}`)
  return rows[0] ?? null
}

/** Keeps an answer in place of the one before it, unless that is newer. */
export async function saveLookup(
  db: Queryable,
  supplier: SupplierName,
  postcode: string,
  { addressUids, fetchedAt }: KeptLookup,
): Promise<void> {
  await db.query(sql`
    insert into address_lookups (source, postcode, address_uids, fetched_at)
    values (${supplier}, ${postcode}, ${addressUids}::text[], ${fetchedAt})
    on conflict (source, postcode) do update
      set address_uids = excluded.address_uids, fetched_at = excluded.fetched_at
      where address_lookups.fetched_at <= excluded.fetched_at`)
}
