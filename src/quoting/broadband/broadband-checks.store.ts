import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { BroadbandProduct } from '../packages/package.ts'
import { availabilityLifetimeMs } from '../quote-limits.ts'

/** Records the products that the partner's check found for the property. */
export async function upsertBroadbandCheck(
  tx: Tx,
  partnerId: Id<'partner'>,
  addressUid: string,
  products: readonly BroadbandProduct[],
  checkedAt: Date,
): Promise<void> {
  await tx.query(sql`
    insert into broadband_checks (partner_id, address_uid, products, checked_at)
    values (${partnerId}, ${addressUid}, ${JSON.stringify(products)}::jsonb, ${checkedAt})
    on conflict (partner_id, address_uid) do update set products = excluded.products, checked_at = excluded.checked_at`)
}

/**
 * The products that the partner's check of a property found in the 24 hours before `now`; undefined if there was no
 * such check.
 */
export async function findCheckedProducts(
  db: Queryable,
  partnerId: Id<'partner'>,
  addressUid: string,
  now: Date,
): Promise<BroadbandProduct[] | undefined> {
  const [check] = await db.query<{ products: BroadbandProduct[] }>(sql`
    select products from broadband_checks
    where partner_id = ${partnerId} and address_uid = ${addressUid}
      and checked_at > ${dayBefore(now)}`)
  return check?.products
}

/** Deletes up to `limit` of the checks of all partners that expired on every clock. Returns how many. */
export async function deleteExpiredChecks(db: Queryable, now: Date, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from broadband_checks
     where ctid = any(array(select ctid from broadband_checks where checked_at <= ${dayBefore(now)} limit ${limit}))
    returning 1`)
  return rows.length
}

/** When a check counts no longer at `now`, if it was made then or earlier. */
export function dayBefore(now: Date): Date {
  return new Date(now.getTime() - availabilityLifetimeMs)
}
