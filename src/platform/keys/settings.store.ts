import type { Queryable, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

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
