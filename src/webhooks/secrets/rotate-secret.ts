import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Webhook } from '../endpoints/subscription.ts'
import { lockWebhook } from '../endpoints/webhooks.store.ts'
import { newWebhookSecret, openSecret, sealSecret } from './secret.ts'
import { findSecret, insertSecret, retireSecret } from './secrets.store.ts'

export interface RotatedSecret {
  webhook: Webhook
  /** Shown in this response and never again. */
  secret: string
  secretNumber: number
  /** Until this time, every message is also signed with the previous secret. */
  previousSecretValidUntil: Date
}

/**
 * POST /Webhooks/{id}/rotate-secret (not in the specification). Gives the webhook a new secret. The previous secret
 * stays valid for a day, during which every message carries a signature for each secret, newest first. Up to five
 * secrets are valid at once, so that repeated rotations do not end a secret that a receiver still uses. Throws
 * `not_found`.
 */
export async function rotateSecret(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  webhookId: Id<'webhook'>,
): Promise<RotatedSecret> {
  return inTransaction(db, caller, async (tx) => {
    const webhook = await lockWebhook(tx, caller.partnerId, webhookId)
    if (webhook === undefined) throw notFound('webhook')
    const previous = await retireSecret(tx, caller.partnerId, webhookId)
    const secretNumber = previous.secretNumber + 1
    const secret = newWebhookSecret()
    const sealed = sealSecret(cipher, webhookId, secretNumber, secret)
    await insertSecret(tx, caller.partnerId, webhookId, sealed, caller.responseRecorder !== undefined)
    return { webhook, secret, secretNumber, previousSecretValidUntil: previous.signsUntil }
  })
}

/**
 * Returns the signing secret to insert into a replayed response. Stored responses contain no secrets
 * (docs/idempotency.md#what-is-stored). This works even after a rotation or a deletion. Throws `not_found`.
 */
export async function secretForReplayedResponse(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  webhookId: Id<'webhook'>,
  secretNumber: number,
): Promise<string> {
  const stored = await findSecret(db, caller.partnerId, webhookId, secretNumber)
  if (stored === undefined) throw notFound('webhook')
  return openSecret(cipher, webhookId, stored)
}
