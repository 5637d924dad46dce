import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool, type PoolClient } from 'pg'
import { currentTraceId } from '../../src/platform/kernel/request-context.ts'

/*
 * Counts what requests cost the database. The counts depend on neither the time nor on what else the machine does:
 *
 * - The driver's messages are counted where they leave the process, so nothing that sends statements can be forgotten.
 * - The connections that a metered request takes are used by metered requests only. Everything else, such as the
 *   simulators of a sandbox, gets connections of other pools. PostgreSQL's counters of the metered connections are
 *   therefore those of the requests.
 * - Rows are counted by PostgreSQL for the whole database, which nobody else may use meanwhile.
 */

/** What a request cost. */
export interface Cost {
  /** Statements sent, including BEGIN, COMMIT and those that set the access. */
  statements: number
  /** How often statements were sent to a PostgreSQL process. Those sent before it responds count once. */
  roundTrips: number
  /** How often a connection was taken from a pool. */
  clients: number
  /**
   * Records in the write-ahead log, without full-page images. NaN if the server cannot count them, which needs
   * PostgreSQL 18.
   */
  walRecords: number
  /** By table. Tables of which no row was touched are missing. */
  rows: Map<string, TouchedRows>
}

interface TouchedRows {
  inserted: number
  updated: number
  deleted: number
  /** Rows and index entries read. */
  read: number
}

/** What `auto_explain` reports of a statement in its JSON format. */
export interface ExplainedStatement {
  'Query Text': string
  Plan: PlanNode
}

export interface PlanNode {
  'Node Type': string
  'Actual Loops': number
  Plans?: PlanNode[]
  [property: string]: unknown
}

type Snapshot = Pick<Cost, 'walRecords' | 'rows'>

/**
 * Names a table's partitions like the table. Reads the counters themselves, because PostgreSQL's views of them are
 * slow.
 */
const readRows = `
  select coalesce(inhparent, t.oid)::regclass::text as "table",
         sum(pg_stat_get_tuples_inserted(t.oid))::int as inserted,
         sum(pg_stat_get_tuples_updated(t.oid))::int as updated,
         sum(pg_stat_get_tuples_deleted(t.oid))::int as deleted,
         sum(pg_stat_get_tuples_returned(t.oid) + (
           select coalesce(sum(pg_stat_get_tuples_returned(indexrelid)), 0) from pg_index
             where indrelid = t.oid))::int as read
    from pg_class t left join pg_inherits on inhrelid = t.oid
   where t.relnamespace = 'public'::regnamespace and t.relkind = 'r'
   group by 1`

const listDirtyTables = `
  select oid::regclass::text as "table" from pg_class
   where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_stat_get_dead_tuples(oid) > 0`

/**
 * Leaves room on every page, so that how many WAL records an update needs does not depend on how many rows the page has
 * by chance.
 */
const leaveRoom = `
  do $$ declare "table" regclass; begin
    for "table" in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
      execute format('alter table %s set (fillfactor = 10)', "table");
    end loop;
  end $$`

const readWalRecords = `
  select coalesce(sum(wal_records - wal_fpi), 0)::int as "walRecords"
    from unnest($1::int[]) pid, pg_stat_get_backend_wal(pid)`

export class DatabaseMeter {
  readonly #observer: Client
  readonly #counts: boolean
  /** The pools of the service, each with the pool for everything that is not metered. */
  readonly #pools = new Map<Pool, Pool>()
  readonly #metered = new Set<PoolClient>()
  /** Connections that sent something whose effect PostgreSQL may not have counted yet. */
  readonly #uncounted = new Set<PoolClient>()
  #counted = { statements: 0, roundTrips: 0, clients: 0 }
  #traceId: string | undefined
  #canCountWal = true
  #mocked: { restore(): void } | undefined
  #before: Snapshot | undefined
  /** Called with each plan that `auto_explain` reports. */
  onPlan: ((plan: ExplainedStatement) => void) | undefined

  private constructor(connectionString: string, counts: boolean) {
    this.#counts = counts
    this.#observer = new Client({ connectionString })
  }

  /**
   * Meters all pools of this process that connect to the database. Call it before the service opens them. Without
   * `counts`, neither rows nor WAL records are counted, and the tables are left as they are.
   */
  static async install(connectionString: string, { counts = true } = {}): Promise<DatabaseMeter> {
    const meter = new DatabaseMeter(connectionString, counts)
    await meter.#observer.connect()
    if (counts) {
      await meter.observe(leaveRoom)
      // Otherwise, the first requests would tidy up the catalogues.
      await meter.observe('vacuum')
    }
    const { rows } = await meter.#observer.query(
      `select to_regproc('pg_stat_get_backend_wal') is not null as "canCount"`,
    )
    meter.#canCountWal = rows[0].canCount
    const { pathname } = new URL(connectionString)
    const connect = Pool.prototype.connect
    const isMetered = (pool: Pool) => new URL(pool.options.connectionString ?? '').pathname === pathname
    meter.#mocked = mock.method(
      Pool.prototype,
      'connect',
      function (this: Pool, ...parameters: Parameters<Pool['connect']>) {
        const isSide = [...meter.#pools.values()].includes(this)
        return connect.apply(isSide || !isMetered(this) ? this : meter.#choose(this), parameters)
      },
    ).mock
    return meter
  }

  /** Starts to meter the request with this trace. Nothing else may change the database until `end`. */
  async begin(): Promise<void> {
    await this.#outlastOtherTransactions()
    if (!this.#counts) return
    this.#before = await this.#snapshot()
    // Removes the old versions of rows, so that the request neither lacks room nor has to make some.
    const dirty = await this.observe<{ table: string }>(listDirtyTables)
    if (dirty.length > 0) await this.observe(`vacuum ${dirty.map(({ table }) => table).join(', ')}`)
  }

  /**
   * The feeds of the operator hold back what is newer than the oldest transaction of the whole server, which may be
   * that of another test. Waits until all transactions of this moment have ended.
   */
  async #outlastOtherTransactions(): Promise<void> {
    const [now] = await this.observe<{ next: string }>(`select pg_snapshot_xmax(pg_current_snapshot())::text as next`)
    const hasOlder = `select where pg_snapshot_xmin(pg_current_snapshot()) < '${now?.next}'::xid8`
    while ((await this.observe(hasOlder)).length > 0) await sleep(5)
  }

  /** Meters what is done for this trace. */
  follow(traceId: string | undefined): void {
    this.#counted = { statements: 0, roundTrips: 0, clients: 0 }
    this.#traceId = traceId
  }

  /** Waits until the connections are idle, and returns what the request cost. */
  async end(): Promise<Cost> {
    while ([...this.#pools.keys()].some((pool) => pool.idleCount < pool.totalCount)) await nextTurn()
    const counted = this.#counted
    this.#traceId = undefined
    if (!this.#counts) return { ...counted, walRecords: Number.NaN, rows: new Map() }
    const [before, after] = [this.#before, await this.#snapshot()]
    if (before === undefined) throw new Error('no metering has begun')
    const rows = [...after.rows].map(([table, now]) => {
      const then = before.rows.get(table)
      const since = (counter: keyof TouchedRows) => now[counter] - (then?.[counter] ?? 0)
      const names = ['inserted', 'updated', 'deleted', 'read'] as const
      return [table, Object.fromEntries(names.map((name) => [name, since(name)])) as unknown as TouchedRows] as const
    })
    return {
      ...counted,
      walRecords: after.walRecords - before.walRecords,
      rows: new Map(rows.filter(([, touched]) => Object.values(touched).some((count) => count > 0))),
    }
  }

  /** Returns the rows of a statement that is not metered. */
  async observe<Row>(statement: string): Promise<Row[]> {
    return (await this.#observer.query(statement)).rows as Row[]
  }

  /** Call it once the service has closed its own pools. */
  async close(): Promise<void> {
    this.#mocked?.restore()
    await Promise.all([this.#observer.end(), ...[...this.#pools.values()].map((pool) => pool.end())])
  }

  async #snapshot(): Promise<Snapshot> {
    // PostgreSQL counts a connection's rows at most once a second, unless it is told to count them now.
    const uncounted = [...this.#uncounted]
    await Promise.all(uncounted.map((client) => client.query('select pg_stat_force_next_flush()')))
    for (const client of uncounted) this.#uncounted.delete(client)
    await this.observe('select pg_stat_force_next_flush()')
    const touched = await this.observe<TouchedRows & { table: string }>(readRows)
    const pids = [...this.#metered].map((client) => (client as PoolClient & { processID: number }).processID)
    const wal = this.#canCountWal ? await this.#observer.query(readWalRecords, [pids]) : undefined
    return {
      walRecords: wal?.rows[0].walRecords ?? Number.NaN,
      rows: new Map(touched.map(({ table, ...rows }) => [table, rows])),
    }
  }

  /** The pool to take a connection from: the given one for the metered request, otherwise another one. */
  #choose(pool: Pool): Pool {
    let side = this.#pools.get(pool)
    if (side === undefined) {
      // A connection that is closed when idle would be opened again by a later request, at that request's expense.
      pool.options.idleTimeoutMillis = 0
      side = new Pool({ ...pool.options })
      // `end` does not wait until PostgreSQL knows, so a connection that is closing may still be told that the server
      // stops.
      side.on('error', () => undefined)
      this.#pools.set(pool, side)
      pool.on('connect', (client) => this.#watch(client))
      side.on('connect', (client) => {
        onWrite(client, (bytes) => this.#noteUncounted(client, bytes))
        this.#readPlans(client)
      })
    }
    if (this.#traceId === undefined || currentTraceId() !== this.#traceId) return side
    this.#counted.clients += 1
    return pool
  }

  /** A connection that closes counts everything. */
  #noteUncounted(client: PoolClient, bytes: Uint8Array): void {
    if (bytes[0] === terminate) this.#uncounted.delete(client)
    else this.#uncounted.add(client)
  }

  #readPlans(client: PoolClient): void {
    client.on('notice', ({ message = '' }) => {
      const plan = /^duration: [0-9.]+ ms {2}plan:\n(.*)$/s.exec(message)?.[1]
      if (plan !== undefined) this.onPlan?.(JSON.parse(plan))
    })
  }

  #watch(client: PoolClient): void {
    this.#metered.add(client)
    this.#readPlans(client)
    let hasSent = false
    onWrite(client, (bytes) => {
      this.#noteUncounted(client, bytes)
      this.#counted.statements += countStatements(bytes)
      if (hasSent) return
      hasSent = true
      this.#counted.roundTrips += 1
    })
    streamOf(client).on('data', () => {
      hasSent = false
    })
  }
}

function streamOf(client: PoolClient): NodeJS.ReadWriteStream {
  return (client as PoolClient & { connection: { stream: NodeJS.ReadWriteStream } }).connection.stream
}

function onWrite(client: PoolClient, note: (bytes: Uint8Array) => void): void {
  const stream = streamOf(client)
  const write = stream.write.bind(stream) as (...parameters: unknown[]) => boolean
  stream.write = (...parameters: unknown[]) => {
    note(parameters[0] as Uint8Array)
    return write(...parameters)
  }
}

// The types of messages.
const executeOrQuery = new Set(['E'.charCodeAt(0), 'Q'.charCodeAt(0)])
const terminate = 'X'.charCodeAt(0)

/**
 * The number of statements that these messages run (https://www.postgresql.org/docs/18/protocol-message-formats.html).
 */
function countStatements(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let count = 0
  for (let at = 0; at < bytes.byteLength; at += 1 + view.getUint32(at + 1))
    if (executeOrQuery.has(view.getUint8(at))) count += 1
  return count
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
