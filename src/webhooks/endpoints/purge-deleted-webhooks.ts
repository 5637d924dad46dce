import { type Database, inTransaction } from '../../platform/db/database.ts'
import { deleteReplaysOfDeletedWebhooks } from '../replay/replays.store.ts'
import { deleteEndedSecrets } from '../secrets/secrets.store.ts'
import { deleteDeliveriesOfDeletedWebhooks, removeDeletedWebhooks } from './webhooks.store.ts'

/**
 * Removes rows of deleted webhooks: at most `limit` deliveries with their attempts, `limit` replays, and `limit`
 * webhooks without any deliveries or replays left. Returns how many rows it removed; call it again until it returns 0.
 * Several processes may call it at once.
 */
export async function purgeDeletedWebhooks({ db }: { db: Database }, limit: number): Promise<number> {
  return inTransaction(db, {}, async (tx) => {
    const left =
      (await deleteDeliveriesOfDeletedWebhooks(tx, limit)) + (await deleteReplaysOfDeletedWebhooks(tx, limit))
    return left + (await removeDeletedWebhooks(tx, limit))
  })
}

/**
 * Removes at most `limit` secrets that are no longer used for signing and that no replayed response needs. Returns how
 * many.
 */
export async function wipeEndedSecrets({ db }: { db: Database }, limit: number): Promise<number> {
  return deleteEndedSecrets(db, limit)
}
