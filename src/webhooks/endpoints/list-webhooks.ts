import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Webhook } from './subscription.ts'
import { listWebhookDirectory, type WebhookOfPartner } from './webhook-directory.store.ts'
import { findWebhook, listWebhooks as selectWebhooks } from './webhooks.store.ts'

/** Spec: GET /Webhooks/{id}. Throws `not_found`. */
export async function getWebhook({ db }: { db: Database }, caller: Caller, webhookId: Id<'webhook'>): Promise<Webhook> {
  const webhook = await findWebhook(db, caller.partnerId, webhookId)
  if (webhook === undefined) throw notFound('webhook')
  return webhook
}

/**
 * GET /Webhooks (not in the specification). A page of the partner's webhooks, newest first, and the id after which the
 * next page starts, if there is one.
 */
export async function listWebhooks(
  { db }: { db: Database },
  caller: Caller,
  page: { beforeWebhookId: Id<'webhook'> | undefined; limit: number },
): Promise<{ webhooks: Webhook[]; nextBeforeWebhookId: string | null }> {
  const found = await selectWebhooks(db, caller.partnerId, { ...page, limit: page.limit + 1 })
  const webhooks = found.slice(0, page.limit)
  const hasMore = found.length > webhooks.length
  return { webhooks, nextBeforeWebhookId: hasMore ? (webhooks.at(-1)?.webhookId ?? null) : null }
}

/** GET /operator-api/Webhooks: the webhooks of all partners and the operator's own, or of one; oldest first. */
export function listEveryWebhook({ db }: { db: Database }, partnerId: string | undefined): Promise<WebhookOfPartner[]> {
  return listWebhookDirectory(db, partnerId)
}
