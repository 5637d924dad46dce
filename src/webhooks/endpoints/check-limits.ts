import type { Tx } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { maxWebhooks, maxWebhooksPerUrl } from '../../platform/kernel/limits.ts'
import { parseWebhookUrl } from '../egress/webhook-url.ts'
import { listWebhooks, lockRegistrations } from './webhooks.store.ts'

/**
 * Throws `too_many_webhooks` if the partner has no room for one more webhook with this URL. `movingId` is the webhook
 * that moves to the URL; if absent, it is a new one. Other registrations and moves of the partner wait until the
 * transaction ends.
 */
export async function checkLimits(
  tx: Tx,
  partnerId: Id<'partner'>,
  { url, movingId }: { url: string; movingId?: Id<'webhook'> },
): Promise<void> {
  await lockRegistrations(tx, partnerId)
  const webhooks = await listWebhooks(tx, partnerId, { beforeWebhookId: undefined, limit: maxWebhooks })
  const others = webhooks.filter(({ webhookId }) => webhookId !== movingId)
  if (others.length >= maxWebhooks) {
    throw new DomainError(
      'too_many_webhooks',
      `You have reached the limit of ${maxWebhooks} webhooks, including disabled ones. Delete one you no longer need, or use one webhook for the events of all your quotes.`,
    )
  }
  const wanted = normalised(url)
  if (others.filter((other) => normalised(other.url) === wanted).length >= maxWebhooksPerUrl) {
    throw new DomainError(
      'too_many_webhooks',
      `You have reached the limit of ${maxWebhooksPerUrl} webhooks with the same URL, including disabled ones. Delete one you no longer need, or subscribe an existing one to more events.`,
    )
  }
}

/** Different spellings of a URL are one URL: the letter case of the host, the default port, a fragment. */
function normalised(url: string): string {
  return parseWebhookUrl(url).target?.url.href ?? url
}
