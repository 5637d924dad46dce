import type { Pool, PoolClient } from 'pg'
import { asDependencyFailure } from './failures.ts'
import { markTransaction } from './open-transaction.ts'
import { type Sql, statementName } from './sql.ts'

declare const txBrand: unique symbol

/** Anything a statement can be sent to: the pool (own transaction for each statement) or a transaction. */
export interface Queryable {
  /** The rows, in the order the statement gives. Throws `service_unavailable` when the database cannot be reached. */
  query<Row>(statement: Sql): Promise<Row[]>
}

/** The connection pool, for reads and for verbs that open a transaction. */
export interface Database extends Queryable {
  readonly pool: Pool
}

/** An open transaction. A required first argument wherever a write must belong to one. */
export interface Tx extends Queryable {
  readonly [txBrand]: true
}

/**
 * Writes a finished request's answer beside the change it answers for, so that both commit or neither does.
 * Throws when the claim on the key was lost meanwhile (another attempt took over after a crash).
 */
export interface AnswerRecorder {
  record(tx: Tx, result: unknown): Promise<void>
}

export function createDatabase(pool: Pool): Database {
  return { pool, query: (statement) => run(pool, statement) }
}

async function run<Row>(target: Pool | PoolClient, statement: Sql): Promise<Row[]> {
  try {
    const result = await target.query({
      name: statementName(statement.text),
      text: statement.text,
      values: statement.values,
    })
    return result.rows as Row[]
  } catch (error) {
    throw asDependencyFailure(error)
  }
}

/**
 * Runs `work` in one transaction and commits it; any error rolls everything back and is thrown on.
 * `caller.answer`, when given, stores the idempotent answer for the result in the same transaction: hand in the caller
 * in the transaction whose result is the answer, and nothing in an earlier one of the same request.
 * `work` asks no outside system: whatever does so in here throws (`open-transaction.ts`).
 * BEGIN travels with the first statement (pipelined), so it costs no round trip of its own.
 */
export async function inTransaction<Result>(
  db: Database,
  caller: { answer?: AnswerRecorder },
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const client = await db.pool.connect().catch((error: unknown) => {
    throw asDependencyFailure(error)
  })
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  let open = true
  const tx = {
    query: <Row>(statement: Sql): Promise<Row[]> => {
      if (!open) throw new Error('a transaction was used after it had ended')
      return run<Row>(client, statement)
    },
  } as Tx
  try {
    const begun = client.query('begin')
    begun.catch(onError)
    const result = await markTransaction(async () => {
      const worked = await work(tx)
      await caller.answer?.record(tx, worked)
      return worked
    })
    await begun
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(onError)
    throw asDependencyFailure(error)
  } finally {
    open = false
    client.off('error', onError)
    client.release(broken)
  }
}
