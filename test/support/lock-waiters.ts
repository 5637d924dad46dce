import type { Pool, PoolClient } from 'pg'
import { waitFor } from './wait-for.ts'

/** Waits until this many connections wait for a lock in the client's database. */
export async function waitForLockWaiters(client: PoolClient, wanted: number): Promise<void> {
  await waitFor(
    `${wanted} connections wait for a lock`,
    async () => {
      // pg_stat_activity does not change within a transaction, but pg_locks does.
      const { rows } = await client.query<{ waiters: number }>(`
        select count(distinct l.pid)::int as waiters from pg_locks l
         where not l.granted and pg_blocking_pids(l.pid) <> '{}'`)
      return rows[0]?.waiters ?? 0
    },
    (waiters) => waiters >= wanted,
  )
}

/** Runs a statement about one row, and commits it only once `act` waits for its lock. Returns what `act` returned. */
export async function whileHeld<Result>(
  pool: Pool,
  [statement, id]: readonly [statement: string, id: string],
  act: () => Promise<Result>,
): Promise<Result> {
  const holder = await pool.connect()
  try {
    await holder.query('begin')
    await holder.query(statement, [id])
    const acting = act()
    await waitForLockWaiters(holder, 1)
    await holder.query('commit')
    return await acting
  } finally {
    holder.release()
  }
}
