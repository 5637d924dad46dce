import type { QueryResult } from 'pg'
import type { Database } from './database.ts'
import { asDependencyFailure } from './failures.ts'

/** How the library begins a script that is a transaction of its own; it ends with a commit. */
const ownBegin = /^\s*BEGIN;/

/**
 * Sends a statement of the job library, or a script of several, over our pool, as whoever `db` is: a statement in a transaction
 * around it, a script that opens its own in that one. Throws `service_unavailable` when the database cannot be reached. A
 * connection whose statement failed is closed and not given back: whoever came next would find a failed transaction open.
 */
export async function runJobStatement(db: Database, text: string, values?: unknown[]): Promise<QueryResult> {
  const client = await db.pool.connect().catch((error: unknown) => {
    throw asDependencyFailure(error)
  })
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    if (ownBegin.test(text))
      return await client.query(
        text.replace(ownBegin, () => `${db.opening};`),
        values,
      )
    const [, result] = await Promise.all([client.query(db.opening), client.query(text, values), client.query('commit')])
    return result
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error))
    throw asDependencyFailure(error)
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}
