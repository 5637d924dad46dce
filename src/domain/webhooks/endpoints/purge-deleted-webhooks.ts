import { type Database, inTransaction } from '../../../db/database.ts'
import { deleteReplaysOfDeleted } from '../replay/replays.store.ts'
import { deleteDeliveriesOfDeleted } from './purge.store.ts'
import { deleteEmptyWebhooks } from './webhooks.store.ts'

/**
 * Removes rows of deleted webhooks: at most `limit` deliveries with their attempts, `limit` replays, and `limit` webhooks that have
 * neither left. Returns how many rows it removed; call it again until it returns 0. Several processes may call it at once.
 */
export async function purgeDeletedWebhooks({ db }: { db: Database }, limit: number): Promise<number> {
  return inTransaction(db, {}, async (tx) => {
    const left = (await deleteDeliveriesOfDeleted(tx, limit)) + (await deleteReplaysOfDeleted(tx, limit))
    return left + (await deleteEmptyWebhooks(tx, limit))
  })
}
