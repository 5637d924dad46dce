import type { JWK } from 'jose'
import type { Queryable } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface StoredSigningKey {
  keyId: string
  publicJwk: JWK
  /** Empty once the key signs nothing more. */
  privateJwkEncrypted: string
}

/** Every key, newest first. */
export async function listSigningKeys(db: Queryable): Promise<StoredSigningKey[]> {
  return db.query<StoredSigningKey>(sql`
    select key_id as "keyId", public_jwk as "publicJwk", private_jwk_encrypted as "privateJwkEncrypted"
      from signing_keys order by created_at desc, key_id`)
}

export async function insertSigningKey(
  db: Queryable,
  key: { keyId: string; publicJwk: JWK; privateJwkEncrypted: string },
): Promise<void> {
  await db.query(sql`
    insert into signing_keys (key_id, public_jwk, private_jwk_encrypted)
    values (${key.keyId}, ${JSON.stringify(key.publicJwk)}::jsonb, ${key.privateJwkEncrypted})`)
}

/** Deletes the private half of a key. */
export async function erasePrivateKey(db: Queryable, keyId: string): Promise<void> {
  await db.query(sql`update signing_keys set private_jwk_encrypted = '' where key_id = ${keyId}`)
}
