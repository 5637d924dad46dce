import { createHash } from 'node:crypto'
import type { Tx } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { storeRequest } from './operator-credentials.store.ts'

/**
 * Makes sure that an `Idempotency-Key` makes something only once, and only what its first request asked for. Call it
 * first in the transaction that makes the change: a parallel call with the key waits until that ends. Returns the id of
 * what an earlier call made, or undefined if this call is the first or has no key. Throws `idempotency_key_reused` if
 * the earlier call asked for something else.
 */
export async function claimRequest(
  tx: Tx,
  requestKey: string | undefined,
  request: Readonly<Record<string, unknown>>,
  { subjectId, now }: { subjectId: string; now: Date },
): Promise<string | undefined> {
  if (requestKey === undefined) return undefined
  const sought = { keyHash: hashOf(requestKey), requestHash: hashOf(JSON.stringify(request)), subjectId }
  const { isNew, stored } = await storeRequest(tx, sought, now)
  if (isNew) return undefined
  if (stored.requestHash === sought.requestHash) return stored.subjectId
  throw new DomainError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for a request with other content. Use a new key for this one.',
  )
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
