import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

/**
 * Removes deliveries of deleted webhooks, and the attempts of those deliveries: at most `limit` rows from each table.
 * Returns the number of rows removed.
 */
export async function deleteDeliveriesOfDeletedWebhooks(tx: Tx, limit: number): Promise<number> {
  const pending = await tx.query(sql`
    delete from delivery_queue where delivery_id in (
      select own.delivery_id from webhooks w cross join lateral (
        select d.delivery_id from delivery_queue d
        where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id
        limit ${limit} for update skip locked
      ) own
      where w.deleted_at is not null
      limit ${limit}
    )
    returning delivery_id`)
  const ended = await tx.query(sql`
    delete from delivery_history where (delivery_id, created_at) in (
      select own.delivery_id, own.created_at from webhooks w cross join lateral (
        select d.delivery_id, d.created_at from delivery_history d
        where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id
        limit ${limit}
      ) own
      where w.deleted_at is not null
      limit ${limit}
    )
    returning delivery_id`)
  return pending.length + ended.length
}
