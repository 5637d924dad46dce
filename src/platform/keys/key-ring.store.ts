import type { Queryable, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { wakeUpApplication } from '../db/wake-up.ts'

/** The kinds of key that are kept in the database. */
export type RingKind = 'signing' | 'links' | 'hashes'

export interface StoredKey {
  keyId: string
  secretEncrypted: string
  /** The age, by PostgreSQL's clock, of the key that replaced this one; null for the newest. */
  replacedForSeconds: number | null
}

/** The keys of this kind, newest first. */
export function listKeys(db: Queryable, kind: RingKind): Promise<StoredKey[]> {
  return db.query<StoredKey>(sql`
    select key_id as "keyId", secret_encrypted as "secretEncrypted",
           extract(epoch from clock_timestamp() - lag(made_at) over (order by made_at desc))::float8 as
             "replacedForSeconds"
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

/** How many servers are connected to this database. Each keeps a connection to be woken up; commands have none. */
export async function countRunningServers(db: Queryable): Promise<number> {
  const [row] = await db.query<{ servers: number }>(sql`
    select count(*)::integer as servers from pg_stat_activity
     where datname = current_database() and application_name = ${wakeUpApplication}`)
  return row?.servers ?? 0
}

export async function findSetting(db: Queryable, name: string): Promise<string | undefined> {
  const [row] = await db.query<{ value: string }>(sql`select value from deployment_settings where name = ${name}`)
  return row?.value
}

/** Stores a value unless the setting already has one. Returns whether it was stored. */
export async function insertSetting(db: Queryable, name: string, value: string): Promise<boolean> {
  const rows = await db.query(sql`
    insert into deployment_settings (name, value) values (${name}, ${value}) on conflict (name) do nothing returning 1`)
  return rows.length === 1
}

/** Locks the settings until the transaction ends, so that concurrent processes create shared values only once. */
export async function lockSettings(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(720845, 9)`)
}

/** Stores a value, replacing any earlier one. */
export async function upsertSetting(db: Queryable, name: string, value: string): Promise<void> {
  await db.query(sql`
    insert into deployment_settings (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`)
}
