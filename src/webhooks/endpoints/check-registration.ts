import type { Tx } from '../../platform/db/database.ts'
import { DomainError, type ErrorCode, type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { NameResolver } from '../../platform/outbound/name-lookup.ts'
import { type EgressRules, parseWebhookUrl, resolveTarget } from '../sender/webhook-target.ts'
import { maxWebhooks, maxWebhooksPerUrl } from '../webhook-errors.ts'
import { listWebhooks, lockRegistrations } from './webhooks.store.ts'

export interface UrlCheckDependencies {
  resolver: NameResolver
  egress: EgressRules
}

/**
 * What is wrong with the syntax of a webhook's URL or with the address to which it resolves; empty if it may be used.
 */
export async function checkUrl({ resolver, egress }: UrlCheckDependencies, url: string): Promise<FieldError[]> {
  const { target, rejection } = parseWebhookUrl(url)
  if (rejection !== undefined) return [{ pointer: '/url', code: 'webhook_url_not_allowed', detail: rejection }]
  const found = await resolveTarget(resolver, egress, target)
  switch (found.kind) {
    case 'usable':
      return []
    case 'not-allowed':
      return [{ pointer: '/url', code: 'webhook_url_not_allowed', detail: found.detail }]
    case 'unreachable':
      return [{ pointer: '/url', code: 'webhook_url_unreachable', detail: found.detail }]
  }
}

/**
 * If any fields are invalid, throws a single error that covers all of them. If every invalid field has the same
 * webhook-specific code, the error has that code; otherwise it has `validation_failed`.
 */
export function throwIfInvalid(errors: readonly FieldError[]): void {
  if (errors.length === 0) return
  const own: readonly ErrorCode[] = ['webhook_url_not_allowed', 'webhook_url_unreachable', 'webhook_event_unknown']
  const common = own.find((code) => errors.every((error) => error.code === code))
  throw invalidFields(errors, common)
}

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
