import type { Database } from '../../db/database.ts'
import type { Caller } from '../kernel/caller.ts'
import { notFound } from '../kernel/errors.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { findSecret, secretPlace } from './webhooks.store.ts'

/**
 * The signing secret once more, for the replay of a registration under its Idempotency-Key and for nothing else: the
 * stored answer holds no secret (decisions: wire conventions). Throws `not_found`.
 */
export async function repeatSecret(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  webhookId: string,
): Promise<string> {
  const encrypted = await findSecret(db, caller.partnerId, webhookId)
  if (encrypted === undefined) throw notFound('webhook')
  return cipher.decrypt(encrypted, secretPlace(webhookId)).toString('utf8')
}
