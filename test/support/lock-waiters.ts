import type { ClientBase, Pool } from 'pg'
import { waitFor } from './wait-for.ts'

/** Waits until this many connections wait for a lock of the client's transaction, or for one of those that do. */
export async function waitForLockWaiters(client: ClientBase, wanted: number): Promise<void> {
  await waitFor(
    `${wanted} connections wait for a lock`,
    async () => {
      // pg_stat_activity does not change within a transaction, but pg_locks does. It shows all of the server.
      const { rows } = await client.query<{ waiters: number }>(`
        with recursive waiting as materialized (
          select pid, pg_blocking_pids(pid) as blockers from pg_locks where not granted
        ), waiters as (
          select pid from waiting where pg_backend_pid() = any(blockers)
           union select waiting.pid from waiting join waiters on waiters.pid = any(blockers)
        )
        select count(*)::int as waiters from waiters`)
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
