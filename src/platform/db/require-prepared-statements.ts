import { DatabaseError } from 'pg'

/**
 * Thrown if a connection pooler before the database cannot be used. The message is for the operator and names the
 * remedy.
 */
export class PoolerError extends Error {
  override readonly name = 'PoolerError'
}

/** A connection, as the pool hands it out. */
interface ProbedConnection {
  query(statement: { name: string; text: string }): Promise<unknown>
  release(destroy?: boolean): void
}

/** The SQLSTATEs of a statement that another client prepared on the same server connection, or that is gone. */
const lostStatement = new Set(['42P05', '26000'])

/**
 * Throws PoolerError if prepared statements get lost between a client and the server, as behind a pooler in transaction
 * mode that does not keep them. Prepares the same statement on two connections, which such a pooler serves with one.
 */
export async function requirePreparedStatements(connect: () => Promise<ProbedConnection>): Promise<void> {
  const connections = [await connect(), await connect()] as const
  const [first, second] = connections
  const probe = { name: 'housebill_probe', text: 'select 1' }
  try {
    for (const connection of [first, second, first]) await connection.query(probe)
  } catch (error) {
    if (!(error instanceof DatabaseError) || !lostStatement.has(error.code ?? '')) throw error
    throw new PoolerError(
      'The connection pooler in DATABASE_URL does not keep prepared statements. With PgBouncer, use 1.21 or newer and set max_prepared_statements = 200; otherwise let DATABASE_URL lead to PostgreSQL itself.',
    )
  } finally {
    // Their session has a statement that nobody needs.
    for (const connection of connections) connection.release(true)
  }
}
