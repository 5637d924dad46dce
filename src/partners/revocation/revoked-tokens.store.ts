import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

export interface RevokedToken {
  /** See `tokenIdOf`. */
  tokenId: string
  /** When the token would have expired. */
  expiresAt: Date
}

/** Records the token as revoked. Recording it again changes nothing. */
export async function insertRevokedToken(db: Queryable, { tokenId, expiresAt }: RevokedToken): Promise<void> {
  await db.query(sql`
    insert into revoked_tokens (token_id, expires_at) values (${tokenId}, ${expiresAt}) on conflict do nothing`)
}

/**
 * The tokens that were revoked since the previous read, whose time on the database's clock is `since`. The minute
 * before it is read again, because a revocation may be committed a little after its time.
 */
export async function listRevokedTokens(
  db: Queryable,
  since: Date,
): Promise<{ readAt: Date; tokens: readonly RevokedToken[] }> {
  const [row] = await db.query<{ readAt: Date; ids: string[]; expiries: Date[] }>(sql`
    select now() as "readAt", coalesce(array_agg(token_id), '{}') as ids,
           coalesce(array_agg(expires_at), '{}') as expiries
      from revoked_tokens where revoked_at >= ${since}::timestamptz - interval '1 minute'`)
  if (row === undefined) throw new Error('the revoked tokens could not be read')
  const { readAt, ids, expiries } = row
  return { readAt, tokens: ids.map((tokenId, index) => ({ tokenId, expiresAt: expiries[index] ?? readAt })) }
}

/** Deletes up to `limit` of the revocations of tokens that have expired. Returns how many. */
export async function deleteExpiredRevocations(db: Queryable, now: Date, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from revoked_tokens
     where ctid = any(array(select ctid from revoked_tokens where expires_at <= ${now} limit ${limit})) returning 1`)
  return rows.length
}
