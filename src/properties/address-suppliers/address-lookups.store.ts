import type { AddressSupplierName } from '../../platform/config/address-source.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

/** A supplier's response for a postcode and the time it was fetched. */
export interface CachedLookup {
  /** The properties that the response listed. */
  addressUids: string[]
  fetchedAt: Date
}

const day = 24 * 60 * 60 * 1_000

/** The lifetime of a response: a month, because addresses rarely change and suppliers charge for each query. */
const maxAge = 30 * day

/**
 * The lifetime of an empty response: a day, because a postcode without properties is often a new street, and suppliers
 * do not charge for an empty response.
 */
const maxEmptyAge = day

/**
 * Whether the response is recent enough to use. A response fetched by a server whose clock is ahead counts as recent.
 */
export function isLookupFresh({ addressUids, fetchedAt }: CachedLookup, now: Date): boolean {
  return now.getTime() - fetchedAt.getTime() < (addressUids.length === 0 ? maxEmptyAge : maxAge)
}

/** The supplier's last response for a normalised postcode; null if there is none. */
export async function findCachedLookup(
  db: Queryable,
  supplier: AddressSupplierName,
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
  supplier: AddressSupplierName,
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
