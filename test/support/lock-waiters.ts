import type { PoolClient } from 'pg'
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
