import { type Database, inTransaction } from '../../../db/database.ts'
import { deleteReplaysOfDeleted } from '../replay/replays.store.ts'
import { deleteOfDeleted } from './purge.store.ts'
import { deleteEmptied } from './webhooks.store.ts'

/**
 * Removes what is left of deleted webhooks: at most `limit` of their deliveries with all attempts, as many of their
 * replays, and rows of webhooks that have none left. Returns how many rows went; call it again while it returns any. Any number of processes may do it at once.
 */
export async function purgeDeletedWebhooks({ db }: { db: Database }, limit: number): Promise<number> {
  return inTransaction(db, {}, async (tx) => {
    const left = (await deleteOfDeleted(tx, limit)) + (await deleteReplaysOfDeleted(tx, limit))
    return left + (await deleteEmptied(tx, limit))
  })
}
