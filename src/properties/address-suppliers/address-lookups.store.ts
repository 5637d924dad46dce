import type { SupplierName } from '../../platform/config/address-source.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { CachedLookup } from './lookup-age.ts'

/** The supplier's last response for a normalised postcode; null if there is none. */
export async function findCachedLookup(
  db: Queryable,
  supplier: SupplierName,
  postcode: string,
): Promise<CachedLookup | null> {
  const rows = await db.query<CachedLookup>(sql`
    select address_uids as "addressUids", fetched_at as "fetchedAt"
    from address_lookups where source = ${supplier} and postcode = ${postcode}`)
  return rows[0] ?? null
}

/** Stores a response, unless the stored one is newer. */
export async function saveCachedLookup(
  db: Queryable,
  supplier: SupplierName,
  postcode: string,
  { addressUids, fetchedAt }: CachedLookup,
): Promise<void> {
  await db.query(sql`
    insert into address_lookups (source, postcode, address_uids, fetched_at)
    values (${supplier}, ${postcode}, ${addressUids}::text[], ${fetchedAt})
    on conflict (source, postcode) do update
      set address_uids = excluded.address_uids, fetched_at = excluded.fetched_at
      where address_lookups.fetched_at <= excluded.fetched_at`)
}
