import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { newId } from '../../platform/kernel/ids.ts'
import { verificationMessage } from '../messages/message.ts'
import { insertMessage } from '../messages/messages.store.ts'
import { firstSecretNumber, newWebhookSecret, sealSecret } from '../secrets/secret.ts'
import { insertSecret } from '../secrets/secrets.store.ts'
import { checkLimits, checkUrl, throwIfInvalid, type UrlCheckDependencies } from './check-registration.ts'
import { checkEvents, type Webhook } from './subscription.ts'
import { insertWebhook } from './webhooks.store.ts'

export interface NewWebhook {
  url: string
  events: readonly string[]
}

interface CreateWebhookDependencies extends UrlCheckDependencies {
  db: Database
  cipher: FieldCipher
}

/**
 * Spec: POST /Webhooks. Registers a receiver, active immediately, and queues the signed verification message. Repeating
 * a registration creates a second webhook. `secret` is returned here and never again. Throws `webhook_url_not_allowed`,
 * `webhook_url_unreachable`, `webhook_event_unknown`, `validation_failed`, `too_many_webhooks`.
 */
export async function createWebhook(
  { db, cipher, ...urls }: CreateWebhookDependencies,
  caller: Caller,
  input: NewWebhook,
): Promise<{ webhook: Webhook; secret: string }> {
  const { events, errors } = checkEvents(input.events)
  throwIfInvalid([...(await checkUrl(urls, input.url)), ...errors])

  return inTransaction(db, caller, async (tx) => {
    await checkLimits(tx, caller.partnerId, input)
    const webhookId = newId('webhook')
    const secret = newWebhookSecret()
    const webhook = await insertWebhook(tx, caller.partnerId, { webhookId, url: input.url, events })
    const sealed = sealSecret(cipher, webhookId, firstSecretNumber, secret)
    await insertSecret(tx, caller.partnerId, webhookId, sealed, caller.responseRecorder !== undefined)
    await insertMessage(tx, caller.partnerId, webhookId, verificationMessage(webhookId, webhook.createdAt))
    return { webhook, secret }
  })
}
