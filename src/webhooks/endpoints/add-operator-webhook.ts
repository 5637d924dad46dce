import { operatorAccountId } from '../../partners/operators/operator-scopes.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { newId } from '../../platform/kernel/ids.ts'
import { verificationMessage } from '../messages/message.ts'
import { insertMessage } from '../messages/messages.store.ts'
import { firstSecretNumber, newWebhookSecret, sealSecret } from '../secrets/secret.ts'
import { insertSecret } from '../secrets/secrets.store.ts'
import { checkLimits, checkUrl, throwIfInvalid, type UrlCheckDependencies } from './check-registration.ts'
import type { Webhook } from './subscription.ts'
import { insertWebhook } from './webhooks.store.ts'

/**
 * POST /operator-api/Webhooks: registers a receiver, which gets a message for every version of every contract and
 * therefore subscribes to no event types, and queues its verification. All else is as for a partner's webhook. `db`
 * belongs to the operator's account. `secret` is returned only here. Throws `webhook_url_not_allowed`,
 * `webhook_url_unreachable` and `too_many_webhooks`.
 */
export async function addOperatorWebhook(
  { db, cipher, ...urls }: { db: Database; cipher: FieldCipher } & UrlCheckDependencies,
  url: string,
): Promise<{ webhook: Webhook; secret: string }> {
  throwIfInvalid(await checkUrl(urls, url))
  return inTransaction(db, {}, async (tx) => {
    await checkLimits(tx, operatorAccountId, { url })
    const webhookId = newId('webhook')
    const secret = newWebhookSecret()
    const webhook = await insertWebhook(tx, operatorAccountId, { webhookId, url, events: [] })
    const sealed = sealSecret(cipher, webhookId, firstSecretNumber, secret)
    await insertSecret(tx, operatorAccountId, webhookId, sealed, false)
    await insertMessage(tx, operatorAccountId, webhookId, verificationMessage(webhookId, webhook.createdAt))
    return { webhook, secret }
  })
}
