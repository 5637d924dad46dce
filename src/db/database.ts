import type { Pool, PoolClient } from 'pg'
import { type Access, beginAs } from './access.ts'
import { CommitSignal } from './commit-signal.ts'
import { asDependencyFailure } from './failures.ts'
import { markTransaction } from './open-transaction.ts'
import { queryAs } from './query-as.ts'
import { type Sql, statementName } from './sql.ts'

declare const txBrand: unique symbol

/** Anything a statement can be sent to: the pool (own transaction for each statement) or a transaction. */
export interface Queryable {
  /** The rows, in the order the statement gives. Throws `service_unavailable` when the database cannot be reached. */
  query<Row>(statement: Sql): Promise<Row[]>
}

/** A way to the database, for reads and for verbs that open a transaction. */
export interface Database extends Queryable {
  readonly pool: Pool
  /** What opens a transaction of several statements: BEGIN, and as whom. */
  readonly opening: string
  /** What committed transactions of this process left to do. */
  readonly commits: CommitSignal
}

/** An open transaction. A required first argument wherever a write must belong to one. */
export interface Tx extends Queryable {
  /** Tells `Database.commits` about this work after the commit. */
  wakeAfterCommit(work: string): void
  readonly [txBrand]: true
}

/**
 * Writes a finished request's answer beside the change it answers for, so that both commit or neither does.
 * Throws when the claim on the key was lost meanwhile (another attempt took over after a crash).
 */
export interface AnswerRecorder {
  /** Stands for this very request, however often it is sent, in the idempotency keys of outside systems. */
  readonly effectKey: string
  record(tx: Tx, result: unknown): Promise<void>
}

/**
 * Every transaction, single statements included, works as `access` says; without it as whoever connected. Of a pool whose
 * connections are pipelined: statements are sent before those ahead of them are answered, which the driver otherwise only warns of.
 */
export function createDatabase(pool: Pool, access?: Access, commits = new CommitSignal()): Database {
  if (pool.options.pipeline !== true) throw new Error('the pool of a database needs `pipeline: true`')
  if (access === undefined) return { pool, commits, opening: 'begin', query: (statement) => run(pool, statement) }
  return {
    pool,
    commits,
    opening: beginAs(access),
    query: (statement) => withConnection(pool, (client) => queryAs(client, access, statement)),
  }
}

/**
 * `prepared`: PostgreSQL keeps the statement and, after some uses, its plan. `planned each time`: it has no name, so it is planned for
 * the size its tables have now.
 */
type Planning = 'prepared' | 'planned each time'

async function run<Row>(
  target: Pool | PoolClient,
  { text, values }: Sql,
  planning: Planning = 'prepared',
): Promise<Row[]> {
  try {
    const named = planning === 'prepared' ? { name: statementName(text) } : {}
    const result = await target.query({ ...named, text, values })
    return result.rows as Row[]
  } catch (error) {
    throw asDependencyFailure(error)
  }
}

/** `discard` keeps the connection from being used again. */
async function withConnection<Result>(
  pool: Pool,
  work: (client: PoolClient, discard: (error: Error) => void) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw asDependencyFailure(error)
  })
  let broken: Error | undefined
  const discard = (error: Error) => {
    broken = error
  }
  client.on('error', discard)
  try {
    return await work(client, discard)
  } catch (error) {
    throw asDependencyFailure(error)
  } finally {
    client.off('error', discard)
    client.release(broken)
  }
}

/**
 * Runs `work` in one transaction and commits it; any error rolls everything back and is thrown on.
 * `caller.answer`, when given, stores the idempotent answer for the result in the same transaction: hand in the caller
 * in the transaction whose result is the answer, and nothing in an earlier one of the same request.
 * `work` asks no outside system: whatever does so in here throws (`open-transaction.ts`).
 * What opens the transaction travels with the first statement (pipelined), so it costs no round trip of its own.
 */
export function inTransaction<Result>(
  db: Database,
  caller: { answer?: AnswerRecorder },
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return transact(db, caller, work, 'prepared')
}

function transact<Result>(
  db: Database,
  caller: { answer?: AnswerRecorder },
  work: (tx: Tx) => Promise<Result>,
  planning: Planning,
): Promise<Result> {
  return withConnection(db.pool, async (client, discard) => {
    let open = true
    const leftToDo = new Set<string>()
    const tx = {
      query: <Row>(statement: Sql): Promise<Row[]> => {
        if (!open) throw new Error('a transaction was used after it had ended')
        return run<Row>(client, statement, planning)
      },
      wakeAfterCommit: (kind) => void leftToDo.add(kind),
    } as Tx
    try {
      const begun = client.query(db.opening)
      begun.catch(discard)
      const result = await markTransaction(async () => {
        const worked = await work(tx)
        await caller.answer?.record(tx, worked)
        return worked
      })
      await begun
      await client.query('commit')
      if (leftToDo.size > 0) db.commits.emit(leftToDo)
      return result
    } catch (error) {
      await client.query('rollback').catch(discard)
      throw error
    } finally {
      open = false
    }
  })
}

/**
 * As inTransaction, for tables that are empty one moment and hold a million rows the next: each statement is planned for the size they
 * have now. A plan kept from the empty table would read the full one whole. Planning takes about a millisecond, so do much with each
 * statement.
 */
export function inQueueTransaction<Result>(db: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return transact(db, {}, work, 'planned each time')
}
