import type { Pool, PoolClient } from 'pg'
import { inStatementSpan } from '../kernel/spans.ts'
import type { Access } from './access.ts'
import { asDependencyFailure, endsConnection, isStaleStatement } from './failures.ts'
import { runMarkedAsTransaction } from './open-transaction.ts'
import { noteTransaction } from './slow-transactions.ts'
import { empty, type Sql, sql, statementLabel, statementName } from './sql.ts'
import { type Requested, StatementBatch } from './statement-batch.ts'
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
  const query = access === undefined ? queryAlone(pool) : queryTogether(pool, access)
  return {
    pool,
    commits,
    access,
    query: (statement) =>
      inStatementSpan(
        () => statementLabel(statement.text),
        () => query(statement),
      ),
  }
}

function queryAlone(pool: Pool): Database['query'] {
  return (statement) =>
    mayWrite(statement.text)
      ? withConnection(pool, true, async (client) => (await sendBatch(client, [statement])[0]) ?? [])
      : new Promise((resolve, reject) => readInTurn(pool, { before: [], turn: [{ statement, resolve, reject }] }))
}

/**
 * The same database for a request that must change and record nothing (HEAD): it runs like any other, but each
 * transaction that may write is rolled back when it ends.
 */
export function withoutEffect({ pool, access, commits }: Database): Database {
  return createDatabase(pool, { ...access, isRolledBack: true }, commits)
}

/** A statement of a reader or writer that waits for the others of its turn. */
interface Waiting {
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
  const waiting = { reading: [] as Waiting[], writing: [] as Waiting[] }

  async function writeAll(): Promise<void> {
    const turn = waiting.writing
    waiting.writing = []
    await withConnection(pool, true, (client, discard) =>
      Promise.all(turn.map((each) => writeAlone(client, access, each, discard))),
    ).catch((error: unknown) => {
      for (const { reject } of turn) reject(error)
    })
  }

  async function readAll(): Promise<void> {
    const reader = { before: [setAccess(access, readOnly)], turn: waiting.reading }
    waiting.reading = []
    // What reads across partners may take long.
    if (access.partnerId === undefined) await shareConnection(pool, [reader])
    else readInTurn(pool, reader)
  }

  return <Row>(statement: Sql) =>
    new Promise<Row[]>((resolve, reject) => {
      const kind = mayWrite(statement.text) ? 'writing' : 'reading'
      if (waiting[kind].length === 0) queueMicrotask(kind === 'reading' ? readAll : writeAll)
      waiting[kind].push({ statement, resolve, reject })
    })
}

/** A caller who reads in one transaction, which PostgreSQL begins with the first statement and ends with the last. */
interface Reader {
  /** What comes before the statements of `turn`. */
  before: readonly Sql[]
  turn: readonly Waiting[]
}

/** How many readers share a connection at most: each waits for the others. */
const readersTogether = 4

const readersOf = new WeakMap<Pool, Reader[]>()

/**
 * Reads together with other callers who ask in the same turn of the event loop: they share connections, so PostgreSQL's
 * processes wake up and respond once for several.
 */
function readInTurn(pool: Pool, reader: Reader): void {
  const waiting = readersOf.get(pool)
  if (waiting !== undefined) {
    waiting.push(reader)
    return
  }
  const readers = [reader]
  readersOf.set(pool, readers)
  setImmediate(() => {
    readersOf.delete(pool)
    for (let first = 0; first < readers.length; first += readersTogether)
      shareConnection(pool, readers.slice(first, first + readersTogether))
  })
}

/**
 * Hands over what was read when the connection is free, so that whoever goes on at once can take it. Whoever met a
 * stale prepared statement reads once more over another connection, without prepared statements.
 */
async function shareConnection(pool: Pool, readers: readonly Reader[], planning: Planning = 'prepared'): Promise<void> {
  const stale: Reader[] = []
  try {
    const found = await withConnection(pool, false, (client, discard) => {
      const reading = inOneWrite(client, () => readers.map((reader) => read(client, reader, planning, discard)))
      return Promise.all(reading)
    })
    for (const [index, reader] of readers.entries()) {
      const outcomes = found[index] ?? []
      if (planning === 'prepared' && outcomes.some(isStale)) stale.push(reader)
      else handOver(reader, outcomes)
    }
  } catch (error) {
    for (const { turn } of readers) for (const { reject } of turn) reject(error)
  }
  if (stale.length > 0) await shareConnection(pool, stale, 'planned each time')
}

type Outcome = PromiseSettledResult<never[]>

const isStale = (outcome: Outcome) => outcome.status === 'rejected' && isStaleStatement(outcome.reason)

/** Sends everything at once, and leaves no transaction open. */
async function read(
  client: PoolClient,
  { before, turn }: Reader,
  planning: Planning,
  discard: (error: Error) => void,
): Promise<Outcome[]> {
  const statements = [...before, ...turn.map(({ statement }) => statement)]
  const outcomes = await Promise.allSettled(sendBatch(client, statements, planning))
  discardIfEnded(outcomes, discard)
  return outcomes
}

function handOver({ before, turn }: Reader, outcomes: readonly Outcome[]): void {
  for (const [index, { resolve, reject }] of turn.entries()) {
    const outcome = outcomes[before.length + index]
    if (outcome?.status === 'fulfilled') resolve(outcome.value)
    else reject(outcome?.reason)
  }
}

/** Runs a statement as a transaction of its own. */
async function writeAlone(
  client: PoolClient,
  access: Access,
  { statement, resolve, reject }: Waiting,
  discard: (error: Error) => void,
): Promise<void> {
  const { sent, ended } = inOneWrite(client, () => ({
    sent: sendBatch(client, [begin, setAccess(access), statement]),
    ended: end(client, access),
  }))
  const outcomes = await Promise.allSettled([...sent, ended])
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure === undefined) resolve((await sent[2]) ?? [])
  else reject(asDependencyFailure(failure.reason))
  discardIfEnded(outcomes, discard)
}

/** Sends what `send` sends in one write: each costs a system call and wakes the PostgreSQL process. */
function inOneWrite<Sent>({ connection: { stream } }: PoolClient, send: () => Sent): Sent {
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

function discardIfEnded(outcomes: readonly PromiseSettledResult<unknown>[], discard: (error: Error) => void): void {
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure !== undefined && endsConnection(failure.reason)) discard(failure.reason)
}

/**
 * `prepared`: PostgreSQL keeps the statement and, after some uses, its plan. `planned each time`: the statement has no
 * name, so PostgreSQL plans it for the current size of the tables.
 */
type Planning = 'prepared' | 'planned each time'

/** Sends statements together, as StatementBatch describes. Returns the rows of each. */
function sendBatch(
  client: PoolClient,
  statements: readonly Sql[],
  planning: Planning = 'prepared',
): Promise<never[]>[] {
  const requested: Requested[] = []
  const rows = statements.map((statement) => request(requested, statement, planning))
  client.query(new StatementBatch(requested))
  return rows
}

/** Adds a statement to a batch that is yet to be sent, and returns its rows. */
async function request(batch: Requested[], { text, values }: Sql, planning: Planning): Promise<never[]> {
  const name = planning === 'prepared' ? statementName(text) : ''
  try {
    return await new Promise((resolve, reject) => void batch.push({ name, text, values, resolve, reject }))
  } catch (error) {
    // The driver's stack leads to the socket; this one leads to the code that sent the statement.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw asDependencyFailure(error)
  }
}

/**
 * Calling `discard` keeps the connection from being reused, as does an error after which it is useless.
 */
async function withConnection<Result>(
  pool: Pool,
  isWriting: boolean,
  work: (client: PoolClient, discard: (error: Error) => void) => Promise<Result>,
): Promise<Result> {
  const { client, release } = await takeConnection(pool, isWriting).catch((error: unknown) => {
    throw asDependencyFailure(error)
  })
  const begunAt = performance.now()
  let broken: Error | undefined
  const discard = (error: Error) => {
    broken = error
  }
  client.on('error', discard)
  try {
    return await work(client, discard)
  } catch (error) {
    if (endsConnection(error)) discard(error)
    throw asDependencyFailure(error)
  } finally {
    if (isWriting) noteTransaction(pool, begunAt)
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
    const { add, sendWaiting } = createBatches(client, planning)
    // What is requested from here on would not be part of the transaction.
    const close = () => {
      open = false
      sendWaiting()
    }
    const tx = {
      query: (statement: Sql): Promise<unknown[]> => {
        if (!open) throw new Error('a transaction was used after it had ended')
        return inStatementSpan(
          () => statementLabel(statement.text),
          () => add(statement),
        )
      },
      wakeAfterCommit: (kind) => void leftToDo.add(kind),
    } as Tx
    try {
      const begun = Promise.all([add(begin), db.access === undefined ? undefined : add(setAccess(db.access))])
      begun.catch(discard)
      const result = await runMarkedAsTransaction(async () => {
        const worked = await work(tx)
        await caller.responseRecorder?.record(tx, worked)
        return worked
      })
      await begun
      close()
      await inStatementSpan(
        () => 'commit',
        () => end(client, db.access),
      )
      if (leftToDo.size > 0 && db.access?.isRolledBack !== true) db.commits.emit(leftToDo)
      return result
    } catch (error) {
      close()
      await client.query('rollback').catch(discard)
      throw error
    }
  })
}

/** Sends statements together that are added in one turn of the event loop. */
function createBatches(client: PoolClient, planning: Planning) {
  let waiting: Requested[] = []
  const sendWaiting = () => {
    if (waiting.length === 0) return
    client.query(new StatementBatch(waiting))
    waiting = []
  }
  return {
    sendWaiting,
    add(statement: Sql): Promise<never[]> {
      if (waiting.length === 0) process.nextTick(sendWaiting)
      return request(waiting, statement, planning)
    },
  }
}

async function end(client: PoolClient, access: Access | undefined): Promise<void> {
  if (access?.isRolledBack === true) await client.query('rollback')
  else await commit(client)
}

const begin = sql`begin`

/** Reads may call functions, and a function that writes looks like any other. */
const readOnly = sql`, set_config('transaction_read_only', 'on', true)`

/** Sets who a transaction belongs to. The values are parameters, and the settings end with the transaction. */
function setAccess({ partnerId = '', origin }: Access, more: Sql = empty): Sql {
  const sentOrigin = origin === undefined ? '' : JSON.stringify(origin)
  return sql`select set_config('housebill.partner', ${partnerId}, true), set_config('housebill.origin', ${sentOrigin}, true)${more}`
}

/**
 * Like inTransaction, but for tables that can grow from empty to a million rows. Each statement is planned for the
 * current table sizes, because a plan made for an empty table would later scan a full one. Planning takes about a
 * millisecond, so each statement should process many rows.
 */
export function inQueueTransaction<Result>(db: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return transact(db, {}, work, 'planned each time')
}

/** After a commit, tells listeners in this process which kinds of background work the transaction created. */
export class CommitSignal {
  readonly #listeners = new Set<(work: ReadonlySet<string>) => void>()

  /** Returns a function that unsubscribes. */
  subscribe(listener: (work: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(work: ReadonlySet<string>): void {
    for (const listener of this.#listeners) listener(work)
  }
}
