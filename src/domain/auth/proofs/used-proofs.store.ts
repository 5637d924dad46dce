import { createHash } from 'node:crypto'
import type { Queryable } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'

/** A client assertion or DPoP proof. */
export interface Proof {
  /** Whose proof it is: a client id, or the thumbprint of a key. */
  owner: string
  jti: string
  /** When the proof is no longer accepted for its age. */
  expiresAt: Date
}

/** Records that a proof was used. Returns false if it was used before, by whichever process. */
export async function insertUsedProof(db: Queryable, { owner, jti, expiresAt }: Proof): Promise<boolean> {
  const proofId = createHash('sha256')
    .update(JSON.stringify([owner, jti]))
    .digest('base64url')
  const rows = await db.query(sql`
    insert into used_proofs (proof_id, expires_at) values (${proofId}, ${expiresAt}) on conflict do nothing returning 1`)
  return rows.length === 1
}

/** Deletes at most `batch` proofs that are no longer accepted. Returns how many there were. */
export async function deleteExpiredProofs(db: Queryable, now: Date, batch: number): Promise<number> {
  const rows = await db.query(sql`
    delete from used_proofs
     where proof_id in (select proof_id from used_proofs where expires_at <= ${now} order by expires_at limit ${batch})
    returning 1`)
  return rows.length
}
