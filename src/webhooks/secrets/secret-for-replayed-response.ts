import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { openSecret } from './secret.ts'
import { findSecret } from './secrets.store.ts'

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
