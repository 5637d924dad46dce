import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** How often the customer's links were revoked. */
export async function findLinksRevision(
  db: Queryable,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
): Promise<number> {
  const [row] = await db.query<{ revision: number }>(sql`
    select links_revision as revision from customers where partner_id = ${partnerId} and customer_id = ${customerId}`)
  return row?.revision ?? 0
}

/** Makes every link that was made for the customer until now open nothing. */
export async function revokeLinksOf(tx: Tx, partnerId: Id<'partner'>, customerId: Id<'tenant'>): Promise<void> {
  await tx.query(sql`
    update customers set links_revision = links_revision + 1 where partner_id = ${partnerId}
        and customer_id = ${customerId}`)
}
