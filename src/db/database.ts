import type { Pool, PoolClient } from 'pg'
import { type Access, beginAs } from './access.ts'
import { asDependencyFailure } from './failures.ts'
import { markTransaction } from './open-transaction.ts'
import { queryAs } from './query-as.ts'
import { type Sql, sql, statementName } from './sql.ts'

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
}

/** An open transaction. A required first argument wherever a write must belong to one. */
export interface Tx extends Queryable {
  /** As for any; `each time`: its plan is not kept, however the transaction goes about the others. */
  query<Row>(statement: Sql, planning?: 'each time'): Promise<Row[]>
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
export function createDatabase(pool: Pool, access?: Access): Database {
  if (pool.options.pipeline !== true) throw new Error('the pool of a database needs `pipeline: true`')
  if (access === undefined) return { pool, opening: 'begin', query: (statement) => run(pool, statement) }
  return {
    pool,
    opening: beginAs(access),
    query: (statement) => withConnection(pool, (client) => queryAs(client, access, statement)),
  }
}

type Planning = 'kept' | 'few' | 'each time'

/**
 * `kept`: PostgreSQL keeps the statement and, after some uses, its plan; `few`: apart from those, as its plan is of another kind. A
 * pooler may share a statement among all who send the same text, so the text tells them apart. Otherwise it is planned for the values it is given.
 */
async function run<Row>(
  target: Pool | PoolClient,
  { text: written, values }: Sql,
  planning: Planning = 'kept',
): Promise<Row[]> {
  try {
    const text = planning === 'few' ? `/* few */ ${written}` : written
    const named = planning === 'each time' ? {} : { name: statementName(text) }
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
  return transact(db, caller, work, 'kept')
}

function transact<Result>(
  db: Database,
  caller: { answer?: AnswerRecorder },
  work: (tx: Tx) => Promise<Result>,
  planning: Planning,
): Promise<Result> {
  return withConnection(db.pool, async (client, discard) => {
    let open = true
    const tx = {
      query: <Row>(statement: Sql, own: Planning = planning): Promise<Row[]> => {
        if (!open) throw new Error('a transaction was used after it had ended')
        return run<Row>(client, statement, own)
      },
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
 * As inTransaction, for the statements of a queue, whose tables have a handful of pending rows one moment and a million the
 * next. What PostgreSQL has counted in them is then of another time, and two things go wrong that are put right here:
 *
 * - It goes on with a plan made for the empty table, which reads the full one whole: every statement is planned for the size
 *   of the moment instead. This costs about a millisecond, so do much with each.
 * - It takes any index to find next to nothing, and may read all that is pending for a webhook to sort it and take the first:
 *   an index that gives the order asked for goes before one whose rows have to be sorted, and any index before the whole table.
 *   Statements that look for one row among many say so by an `order by` and a `limit`.
 *
 * The statements are planned anew by having no name. `plan_cache_mode` would do it too, but also for the look-up behind every
 * foreign key of every row, which took longer than writing the row.
 *
 * Where there is `few` to do, planning would be most of the work. Plans are kept then, of the only kind that is as good for an empty
 * table as for a full one: from each row given to its like in an index. With many rows given that is slow, and they take the other way.
 * A join alone does not say from which side: a table of three rows is gone through from its own. Such a statement also holds the
 * table's key to what is given (`= any`), so that either way is by the index.
 */
export function inQueueTransaction<Result>(
  db: Database,
  amount: 'few' | 'many',
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const choosePlans = amount === 'few' ? stepThroughIndexes : useIndexes
  const withIndexes = async (tx: Tx): Promise<Result> => {
    const chosen = tx.query(choosePlans)
    const [result] = await Promise.all([work(tx), chosen])
    return result
  }
  return transact(db, {}, withIndexes, amount === 'few' ? 'few' : 'each time')
}

const useIndexes = sql`select set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true)`
const stepThroughIndexes = sql`
  select set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('enable_bitmapscan', 'off', true), set_config('enable_material', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true)`
