import type { JWK } from 'jose'
import type { Queryable } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface StoredSigningKey {
  keyId: string
  publicJwk: JWK
  privateJwkEncrypted: string
  retiredAt: Date | null
}

/** Keys whose tokens may still be valid: the signing one and those retired after `since`. The signing one first. */
export async function listSigningKeys(db: Queryable, since: Date): Promise<StoredSigningKey[]> {
  return db.query<StoredSigningKey>(sql`
    select key_id as "keyId", public_jwk as "publicJwk", private_jwk_encrypted as "privateJwkEncrypted", retired_at as "retiredAt"
      from signing_keys where retired_at is null or retired_at > ${since}
     order by retired_at desc nulls first`)
}

/** Becomes the signing key unless there is one already: of several processes starting at once, one succeeds. */
export async function insertFirstSigningKey(
  db: Queryable,
  key: { keyId: string; publicJwk: JWK; privateJwkEncrypted: string },
): Promise<void> {
  await db.query(sql`
    insert into signing_keys (key_id, public_jwk, private_jwk_encrypted)
    values (${key.keyId}, ${JSON.stringify(key.publicJwk)}::jsonb, ${key.privateJwkEncrypted})
    on conflict do nothing`)
}
