import type { Database } from '../../platform/db/database.ts'
import { type DirectoryFilter, listWebhookDirectory, type WebhookOfPartner } from './webhook-directory.store.ts'

/** For the operator: all webhooks, those of one partner, or one by its id; oldest first. */
export function listEveryWebhook({ db }: { db: Database }, filter: DirectoryFilter): Promise<WebhookOfPartner[]> {
  return listWebhookDirectory(db, filter)
}
