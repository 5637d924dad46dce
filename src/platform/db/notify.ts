import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/** Notifies every process that listens on this channel, including this one. */
export async function notify(db: Queryable, channel: string, payload: string): Promise<void> {
  await db.query(sql`select pg_notify(${channel}, ${payload})`)
}
