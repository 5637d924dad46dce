import type { PoolClient } from 'pg'
import { DomainError } from '../kernel/errors.ts'

/** A commit that has taken longer than this waits for a standby, as PostgreSQL itself needs milliseconds. */
const longMs = 1_000

const begun = new Set<{ at: number }>()
const unconfirmed = new WeakSet<PoolClient>()

/** How many transactions of this process have waited for their commit for more than a second. */
export function countWaitingCommits(): number {
  const before = performance.now() - longMs
  return [...begun].filter(({ at }) => at < before).length
}

/** Call this once for each new connection. PostgreSQL says in a notice that it stopped waiting for a standby. */
export function watchForUnconfirmedCommits(client: PoolClient): void {
  client.on('notice', ({ message }) => {
    if (message?.startsWith('canceling wait for synchronous replication') === true) unconfirmed.add(client)
  })
}

/**
 * Commits the connection's transaction. Throws if a statement of it has failed, even if the caller caught that failure:
 * PostgreSQL then rolls back and reports success. Throws `service_unavailable` if the time limit of statements ended
 * the wait for a standby: PostgreSQL then reports success, although a failover would lose the change.
 */
export async function commit(client: PoolClient): Promise<void> {
  const mine = { at: performance.now() }
  begun.add(mine)
  try {
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('a statement of the transaction failed, so nothing was stored')
  } finally {
    begun.delete(mine)
  }
  if (!unconfirmed.delete(client)) return
  throw new DomainError(
    'service_unavailable',
    'The standby of the database did not confirm the change in time. Retry shortly; for a POST, use the same Idempotency-Key.',
    { retryAfterSeconds: 2 },
  )
}
