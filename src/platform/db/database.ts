import type { Pool, PoolClient } from 'pg'
import type { Access } from './access.ts'
import { CommitSignal } from './commit-signal.ts'
import { asDependencyFailure, isReadOnly } from './failures.ts'
import { runMarkedAsTransaction } from './open-transaction.ts'
import { type Sql, statementName } from './sql.ts'
import { mayWrite, takeConnection } from './take-connection.ts'
import { commit } from './waiting-commits.ts'

declare const txBrand: unique symbol

/** Anything that runs statements: the database (one transaction for each statement) or an open transaction. */
export interface Queryable {
  /** Returns the rows in the statement's order. Throws `service_unavailable` if the database cannot be reached. */
  query<Row>(statement: Sql): Promise<Row[]>
}

/** Access to the database, for reads and for opening transactions. */
export interface Database extends Queryable {
  readonly pool: Pool
  /** The partner and origin of every transaction; without it, transactions have neither and see no partner's rows. */
  readonly access: Access | undefined
  /** Announces work created by this process's transactions, once they have committed. */
  readonly commits: CommitSignal
}

/** An open transaction. Functions whose writes must be part of a transaction take it as their first argument. */
export interface Tx extends Queryable {
  /** Announces this kind of work on `Database.commits` after the commit. */
  wakeAfterCommit(work: string): void
  readonly [txBrand]: true
}

/**
 * Stores a finished request's response in the same transaction as its change, so both commit or neither does. Throws if
 * the claim on the idempotency key has been lost (another attempt took over after a crash).
 */
export interface ResponseRecorder {
  /**
   * The part of upstream idempotency keys that identifies this request. It stays the same if the partner sends the
   * request again.
   */
  readonly effectKey: string
  record(tx: Tx, result: unknown): Promise<void>
}

/**
 * Every transaction, even of a single statement, has the partner of `access` or, without it, none. Throws if the pool
 * does not use pipelining: statements are sent before earlier ones have returned, and without pipelining the driver
 * would only warn about that.
 */
export function createDatabase(pool: Pool, access?: Access, commits = new CommitSignal()): Database {
  if (pool.options.pipeline !== true) throw new Error('the pool needs `pipeline: true`')
  if (access === undefined)
    return {
      pool,
      commits,
      access,
      query: (statement) => withConnection(pool, mayWrite(statement.text), (client) => run(client, statement)),
    }
  return {
    pool,
    commits,
    access,
    query: queryTogether(pool, access),
  }
}

/**
 * The same database for a request that must change and record nothing (HEAD): it runs like any other, but each of its
 * transactions is rolled back when it ends.
 */
export function withoutEffect({ pool, access, commits }: Database): Database {
  return createDatabase(pool, { ...access, isRolledBack: true }, commits)
}

/** A statement that was requested, and what to do with its rows. */
interface Requested {
  statement: Sql
  resolve(rows: never[]): void
  reject(error: unknown): void
}

/**
 * Statements that are requested together, as in `Promise.all`, share a connection and one write to it: taking a
 * connection and waking its PostgreSQL process cost more than most statements do. Reads also share a transaction, so if
 * one fails, those after it fail with it.
 */
function queryTogether(pool: Pool, access: Access): Database['query'] {
  const requested = { reading: [] as Requested[], writing: [] as Requested[] }

  async function sendAll(kind: keyof typeof requested): Promise<void> {
    const batch = requested[kind]
    requested[kind] = []
    await withConnection(pool, kind === 'writing', async (client, discard) => {
      if (kind === 'reading') await runAlone(client, access, batch, discard)
      else await Promise.all(batch.map((each) => runAlone(client, access, [each], discard)))
    }).catch((error: unknown) => {
      for (const { reject } of batch) reject(error)
    })
  }

  return <Row>(statement: Sql) =>
    new Promise<Row[]>((resolve, reject) => {
      const kind = mayWrite(statement.text) ? 'writing' : 'reading'
      if (requested[kind].length === 0) queueMicrotask(() => sendAll(kind))
      requested[kind].push({ statement, resolve, reject })
    })
}

/**
 * Runs statements as one transaction, all sent at once. The first failure, if any, is that of all statements after it.
 */
async function runAlone(
  client: PoolClient,
  access: Access,
  requested: readonly Requested[],
  discard: (error: Error) => void,
): Promise<void> {
  const begun = begin(client, access)
  const sent = requested.map(({ statement }) => run<never>(client, statement))
  const [start, ended, ...outcomes] = await Promise.allSettled([begun, end(client, access), ...sent])
  const failure = [start, ...outcomes, ended].find((outcome) => outcome.status === 'rejected')
  if (failure !== undefined && isReadOnly(failure.reason)) discard(failure.reason)
  for (const [index, { resolve, reject }] of requested.entries()) {
    const outcome = outcomes[index]
    if (outcome?.status === 'fulfilled' && ended.status === 'fulfilled') resolve(outcome.value)
    else reject(asDependencyFailure(failure?.reason))
  }
}

/**
 * `prepared`: PostgreSQL keeps the statement and, after some uses, its plan. `planned each time`: the statement has no
 * name, so PostgreSQL plans it for the current size of the tables.
 */
type Planning = 'prepared' | 'planned each time'

async function run<Row>(target: PoolClient, { text, values }: Sql, planning: Planning = 'prepared'): Promise<Row[]> {
  try {
    const named = planning === 'prepared' ? { name: statementName(text) } : {}
    const result = await target.query({ ...named, text, values })
    return result.rows as Row[]
  } catch (error) {
    throw asDependencyFailure(error)
  }
}

/**
 * Calling `discard` keeps the connection from being reused, as does a response that says the server is read-only: it is
 * no longer the one to use.
 */
async function withConnection<Result>(
  pool: Pool,
  isWriting: boolean,
  work: (client: PoolClient, discard: (error: Error) => void) => Promise<Result>,
): Promise<Result> {
  const { client, release } = await takeConnection(pool, isWriting).catch((error: unknown) => {
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
    if (isReadOnly(error)) discard(error)
    throw asDependencyFailure(error)
  } finally {
    client.off('error', discard)
    release(broken)
  }
}

/**
 * Runs `work` in one transaction and commits it, unless the database is `withoutEffect`; any error rolls everything
 * back and is rethrown. If given, `caller.responseRecorder` stores the idempotent response in the same transaction:
 * pass it only to the transaction that produces the response, not to earlier ones of the same request. Calling an
 * upstream inside `work` throws (`open-transaction.ts`). BEGIN is pipelined with the first statement, so it costs no
 * extra round trip.
 */
export function inTransaction<Result>(
  db: Database,
  caller: { responseRecorder?: ResponseRecorder },
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return transact(db, caller, work, 'prepared')
}

function transact<Result>(
  db: Database,
  caller: { responseRecorder?: ResponseRecorder },
  work: (tx: Tx) => Promise<Result>,
  planning: Planning,
): Promise<Result> {
  return withConnection(db.pool, true, async (client, discard) => {
    let open = true
    const leftToDo = new Set<string>()
    const tx = {
      query: <Row>(statement: Sql): Promise<Row[]> => {
        if (!open) throw new Error('a transaction was used after it had ended')
        writeTogether(client)
        return run<Row>(client, statement, planning)
      },
      wakeAfterCommit: (kind) => void leftToDo.add(kind),
    } as Tx
    try {
      const begun = begin(client, db.access)
      begun.catch(discard)
      const result = await runMarkedAsTransaction(async () => {
        const worked = await work(tx)
        await caller.responseRecorder?.record(tx, worked)
        return worked
      })
      await begun
      await end(client, db.access)
      if (leftToDo.size > 0 && db.access?.isRolledBack !== true) db.commits.emit(leftToDo)
      return result
    } catch (error) {
      await client.query('rollback').catch(discard)
      throw error
    } finally {
      open = false
    }
  })
}

async function end(client: PoolClient, access: Access | undefined): Promise<void> {
  if (access?.isRolledBack === true) await client.query('rollback')
  else await commit(client)
}

/** Sets who a transaction belongs to. The values are parameters, and the settings end with the transaction. */
const setAccess = {
  name: 'set_access',
  text: `select set_config('housebill.partner', $1, true), set_config('housebill.origin', $2, true)`,
}

/** Sends BEGIN and the access together, without waiting for BEGIN to return. What is sent next may join them. */
async function begin(client: PoolClient, access: Access | undefined): Promise<void> {
  writeTogether(client)
  await Promise.all([client.query('begin'), access === undefined ? undefined : takeAccess(client, access)])
}

async function takeAccess(client: PoolClient, { partnerId = '', origin }: Access): Promise<void> {
  const values = [partnerId, origin === undefined ? '' : JSON.stringify(origin)]
  await client.query({ ...setAccess, values })
}

/**
 * Sends everything that is written to this connection before the current turn of the event loop ends in one write. Each
 * write costs a system call and wakes the PostgreSQL process.
 */
function writeTogether({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/**
 * Like inTransaction, but for tables that can grow from empty to a million rows. Each statement is planned for the
 * current table sizes, because a plan made for an empty table would later scan a full one. Planning takes about a
 * millisecond, so each statement should process many rows.
 */
export function inQueueTransaction<Result>(db: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return transact(db, {}, work, 'planned each time')
}
