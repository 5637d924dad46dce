import type { Database } from './database.ts'
import { sql } from './sql.ts'

/**
 * Returns a function that reads by how many seconds the clock of this machine is ahead of the database's, give or take
 * half a round trip. It returns undefined while the database does not respond.
 */
export function watchClock(db: Database): () => Promise<number | undefined> {
  return async () => {
    const before = Date.now()
    const [row] = await db
      .query<{ ms: number }>(sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`)
      .catch(() => [])
    return row === undefined ? undefined : ((before + Date.now()) / 2 - row.ms) / 1_000
  }
}
