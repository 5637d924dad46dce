import type { Database } from '../../db/database.ts'
import { notFound } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Caller } from '../auth/caller.ts'
import { openSecret } from './secret.ts'
import { findSecret } from './secrets.store.ts'

/**
 * A signing secret once more, for the replay of the answer it was given in and for nothing else: the stored answer holds
 * no secret (decisions: wire conventions). Also when it was replaced since, or its webhook deleted. Throws `not_found`.
 */
export async function repeatSecret(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  webhookId: string,
  secretNumber: number,
): Promise<string> {
  const stored = await findSecret(db, caller.partnerId, webhookId, secretNumber)
  if (stored === undefined) throw notFound('webhook')
  return openSecret(cipher, webhookId, stored)
}
