import type { Queryable } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { CollectionNotice } from './payment-processor.ts'

/**
 * Selects the notices of collections that are not recorded yet, in the given order. A notice is selected if it is about one of our
 * customers and is newer than the customer's last recorded collection, if any.
 */
export async function listMissedCollections(
  db: Queryable,
  notices: readonly CollectionNotice[],
): Promise<CollectionNotice[]> {
  if (notices.length === 0) return []
  const rows = await db.query<{ place: number }>(sql`
    select listed.place::int
      from unnest(${notices.map(({ processorCustomerId }) => processorCustomerId)}::text[],
                  ${notices.map(({ occurredAt }) => occurredAt.toISOString())}::timestamptz[])
           with ordinality as listed (processor_customer_id, at, place)
     where exists (
       select from setup_intents s join customers c on c.customer_id = s.customer_id and c.partner_id = s.partner_id
        where s.processor_customer_id = listed.processor_customer_id and coalesce(c.last_collection_at < listed.at, true))`)
  const missed = new Set(rows.map(({ place }) => place - 1))
  return notices.filter((_, index) => missed.has(index))
}
