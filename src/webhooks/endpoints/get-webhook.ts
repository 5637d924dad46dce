import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Webhook } from './subscription.ts'
import { findWebhook } from './webhooks.store.ts'

/** Spec: GET /Webhooks/{id}. Throws `not_found`. */
export async function getWebhook({ db }: { db: Database }, caller: Caller, webhookId: Id<'webhook'>): Promise<Webhook> {
  const webhook = await findWebhook(db, caller.partnerId, webhookId)
  if (webhook === undefined) throw notFound('webhook')
  return webhook
}
