import type { Queryable, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/** The kinds of key that are kept in the database and can be replaced while servers run. */
export type RingKind = 'signing' | 'links' | 'hashes'

export interface StoredKey {
  keyId: string
  secretEncrypted: string
  /** By PostgreSQL's clock, so that servers whose clocks differ agree. */
  ageSeconds: number
  /** The age of the key that replaced this one; null for the newest. */
  replacedForSeconds: number | null
}

/** The keys of this kind, newest first. */
export function listKeys(db: Queryable, kind: RingKind): Promise<StoredKey[]> {
  return db.query<StoredKey>(sql`
    select key_id as "keyId", secret_encrypted as "secretEncrypted",
           extract(epoch from clock_timestamp() - made_at)::float8 as "ageSeconds",
           extract(epoch from clock_timestamp() - lag(made_at) over (order by made_at desc))::float8 as "replacedForSeconds"
      from key_ring where kind = ${kind} order by made_at desc`)
}

/** Stores a key, unless there is one with its id. */
export async function insertKey(
  db: Queryable,
  kind: RingKind,
  { keyId, secretEncrypted }: Pick<StoredKey, 'keyId' | 'secretEncrypted'>,
): Promise<void> {
  await db.query(sql`
    insert into key_ring (kind, key_id, secret_encrypted) values (${kind}, ${keyId}, ${secretEncrypted})
    on conflict do nothing`)
}

export async function deleteKeys(tx: Tx, kind: RingKind, keyIds: readonly string[]): Promise<void> {
  await tx.query(sql`delete from key_ring where kind = ${kind} and key_id = any(${keyIds}::text[])`)
}
