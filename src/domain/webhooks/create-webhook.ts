import { type Database, inTransaction } from '../../db/database.ts'
import type { Caller } from '../kernel/caller.ts'
import { DomainError, type ErrorCode, type FieldError } from '../kernel/errors.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { newId } from '../kernel/ids.ts'
import { insertMessage } from './deliveries.store.ts'
import { verificationMessage } from './message.ts'
import type { NameResolver } from './name-resolver.ts'
import { newWebhookSecret } from './secret.ts'
import { checkEvents, mostWebhooks, type Webhook } from './subscription.ts'
import { type EgressRules, resolveTarget } from './webhook-target.ts'
import { parseWebhookUrl } from './webhook-url.ts'
import { countWebhooks, insertWebhook, lockRegistrations, secretPlace } from './webhooks.store.ts'

export interface NewWebhook {
  url: string
  events: readonly string[]
}

interface CreateWebhookDependencies {
  db: Database
  cipher: FieldCipher
  resolver: NameResolver
  egress: EgressRules
}

/**
 * Spec: POST /Webhooks. Registers a receiver, answers `active` at once and queues the signed verification message. The
 * same registration twice makes two webhooks. `secret` is shown in this answer and never again.
 * Throws `webhook_url_not_allowed`, `webhook_url_unreachable`, `webhook_event_unknown`, `validation_failed`,
 * `too_many_webhooks`.
 */
export async function createWebhook(
  { db, cipher, resolver, egress }: CreateWebhookDependencies,
  caller: Caller,
  input: NewWebhook,
): Promise<{ webhook: Webhook; secret: string }> {
  const { events, errors } = checkEvents(input.events)
  refuseBad([...(await checkUrl(resolver, egress, input.url)), ...errors])

  return inTransaction(db, caller, async (tx) => {
    await lockRegistrations(tx, caller.partnerId)
    if ((await countWebhooks(tx, caller.partnerId)) >= mostWebhooks) {
      throw new DomainError(
        'too_many_webhooks',
        `A partner can have ${mostWebhooks} webhooks, and you have reached that. One webhook can take every event of all your quotes.`,
      )
    }
    const webhookId = newId('webhook')
    const secret = newWebhookSecret()
    const secretEncrypted = cipher.encrypt(secret, secretPlace(webhookId))
    const webhook = await insertWebhook(tx, caller.partnerId, { webhookId, url: input.url, events, secretEncrypted })
    await insertMessage(tx, caller.partnerId, webhookId, verificationMessage(webhookId, webhook.createdAt))
    return { webhook, secret }
  })
}

async function checkUrl(resolver: NameResolver, egress: EgressRules, url: string): Promise<FieldError[]> {
  const { target, refusal } = parseWebhookUrl(url)
  if (refusal !== undefined) return [{ pointer: '/url', code: 'webhook_url_not_allowed', detail: refusal }]
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

/** One refusal for all bad fields: under their common code where there is one of the webhooks' own. */
function refuseBad(errors: readonly FieldError[]): void {
  const [first] = errors
  if (first === undefined) return
  const own: readonly ErrorCode[] = ['webhook_url_not_allowed', 'webhook_url_unreachable', 'webhook_event_unknown']
  const common = own.find((code) => errors.every((error) => error.code === code)) ?? 'validation_failed'
  const detail =
    errors.length === 1 ? first.detail : `${errors.length} fields were refused; each entry of errors says why.`
  throw new DomainError(common, detail, { fields: errors })
}
