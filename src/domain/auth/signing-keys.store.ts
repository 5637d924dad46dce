import type { JWK } from 'jose'
import type { Queryable } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface StoredSigningKey {
  keyId: string
  publicJwk: JWK
  privateJwkEncrypted: string
  retiredAt: Date | null
}

/** The current key first, then keys retired after `since`, whose tokens may still be valid. */
export async function listSigningKeys(db: Queryable, since: Date): Promise<StoredSigningKey[]> {
  return db.query<StoredSigningKey>(sql`
    select key_id as "keyId", public_jwk as "publicJwk", private_jwk_encrypted as "privateJwkEncrypted", retired_at as "retiredAt"
      from signing_keys where retired_at is null or retired_at > ${since}
     order by retired_at desc nulls first`)
}

/** Stores the key unless there is a current one. If several processes start at the same time, only one of them succeeds. */
export async function insertFirstSigningKey(
  db: Queryable,
  key: { keyId: string; publicJwk: JWK; privateJwkEncrypted: string },
): Promise<void> {
  await db.query(sql`
    insert into signing_keys (key_id, public_jwk, private_jwk_encrypted)
    values (${key.keyId}, ${JSON.stringify(key.publicJwk)}::jsonb, ${key.privateJwkEncrypted})
    on conflict do nothing`)
}
