import { pipeline } from 'node:stream/promises'
import { Client, DatabaseError } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Queryable } from '../database.ts'
import { asDependencyFailure } from '../failures.ts'
import { runMarkedAsTransaction } from '../open-transaction.ts'
import type { Sql } from '../sql.ts'
import { connectWithinMs } from '../with-client.ts'

/** How much may wait to be sent, so that the next pieces are made while PostgreSQL stores the last ones. */
const copyBufferBytes = 2 * 1_024 * 1_024

/** A connection of its own for work that takes minutes. It has no time limit and, unlike those of the pools, can copy rows in bulk. */
export interface BulkSession extends Queryable {
  /** Runs `work` in a transaction; its statements are those of this session. Any error rolls everything back and is rethrown. */
  transact<Result>(work: () => Promise<Result>): Promise<Result>
  /** Sends the pieces as the input of a COPY … FROM STDIN. Their boundaries need not be those of rows. */
  copyIn(statement: Sql, pieces: AsyncIterable<string>): Promise<void>
}

/** A process that was killed leaves a connection behind, which needs a moment to notice. */
const lockTimeout = '3s'

/**
 * Runs `work` on a connection of its own while no other process does any under the same `lock`. Returns null without running it if
 * another process does.
 */
export async function withBulkSession<Result>(
  connectionString: string,
  lock: number,
  work: (session: BulkSession) => Promise<Result>,
): Promise<Result | null> {
  const client = new Client({
    connectionString,
    application_name: 'housebill import',
    connectionTimeoutMillis: connectWithinMs,
  })
  // The statement that fails because of a lost connection reports it; without a listener, this would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await takeLock(client, lock)) ? await work(openSession(client)) : null
  } catch (error) {
    throw asDependencyFailure(error)
  } finally {
    await client.end()
  }
}

async function takeLock(client: Client, lock: number): Promise<boolean> {
  await client.query(`set lock_timeout = '${lockTimeout}'`)
  try {
    await client.query('select pg_advisory_lock($1)', [lock])
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
  await client.query('reset lock_timeout')
  return true
}

/** Whether a statement failed because a lock was not available in time. */
export function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof DatabaseError && (cause.code === '55P03' || cause.code === '40P01')
}

function openSession(client: Client): BulkSession {
  return {
    query: <Row>({ text, values }: Sql) => client.query({ text, values }).then(({ rows }) => rows as Row[]),

    async transact(work) {
      await client.query('begin')
      try {
        const result = await runMarkedAsTransaction(work)
        await client.query('commit')
        return result
      } catch (error) {
        // If the connection is lost, so is the transaction; the first error says why.
        await client.query('rollback').catch(() => undefined)
        throw error
      }
    },

    async copyIn({ text }, pieces) {
      await pipeline(pieces, client.query(copyFrom(text, { highWaterMark: copyBufferBytes })))
    },
  }
}
