import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

/** A request with an `Idempotency-Key`, by hash, and the id of what it makes or changes. */
export interface OperatorRequestRecord {
  keyHash: string
  requestHash: string
  subjectId: string
}

/**
 * Stores the request unless its key was used before, and returns what is stored with the key. Waits for a transaction
 * that is storing the same key.
 */
export async function storeRequest(
  tx: Tx,
  { keyHash, requestHash, subjectId }: OperatorRequestRecord,
  now: Date,
): Promise<{ isNew: boolean; stored: OperatorRequestRecord }> {
  const inserted = await tx.query(sql`
    insert into operator_requests (request_key_sha256, request_sha256, subject_id, created_at)
    values (${keyHash}, ${requestHash}, ${subjectId}, ${now})
    on conflict do nothing returning 1`)
  const [stored] = await tx.query<OperatorRequestRecord>(sql`
    select request_key_sha256 as "keyHash", request_sha256 as "requestHash", subject_id as "subjectId"
      from operator_requests where request_key_sha256 = ${keyHash}`)
  if (stored === undefined) throw new Error('the request is not stored')
  return { isNew: inserted.length === 1, stored }
}
