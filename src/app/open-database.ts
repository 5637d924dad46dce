import type { Socket } from 'node:net'
import { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../platform/config/config.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Origin } from '../platform/db/access.ts'
import { checkIsolation } from '../platform/db/check-isolation.ts'
import { connectLogins, type NamedLogin } from '../platform/db/connect-logins.ts'
import { createDatabases, type Databases } from '../platform/db/databases.ts'
import { appRole, connectionStringAs, systemRole } from '../platform/db/ensure-runtime-roles.ts'
import { createLogins, grantRuntimeRoles, type Logins } from '../platform/db/grant-runtime-roles.ts'
import {
  connectWithinMs,
  HostClient,
  keepAliveInitialDelayMillis,
  requireWritable,
  tryHosts,
} from '../platform/db/hosts.ts'
import { migrate, type PlannedMigration, planMigrations, requireMigrated } from '../platform/db/migrate.ts'
import { readMigrations } from '../platform/db/newer-version.ts'
import { probeWrites } from '../platform/db/probe-writes.ts'
import { requirePreparedStatements } from '../platform/db/required-settings.ts'
import { countSlowTransactions, onSlowTransaction } from '../platform/db/slow-transactions.ts'
import { countWaitingWriters } from '../platform/db/take-connection.ts'
import { countWaitingCommits, watchForUnconfirmedCommits } from '../platform/db/waiting-commits.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/private-postgres/start-embedded.ts'
import type { PoolCounts } from './metrics/metrics.ts'

export interface OpenDatabase {
  databases: Databases
  /** How many connections are in use or idle, and how many callers are waiting for one. */
  connections: PoolCounts
  /** Commits a change, to find out whether writes succeed. Throws if they do not. */
  probe(): Promise<void>
  /**
   * The connection string for a connection outside the pool that listens for notifications: past a pooler, if there is
   * one. It sees no partner's rows.
   */
  connectionString: string
  /** The connection string of the login for work across partners. */
  systemConnectionString: string
  /** The connection string of the role that owns the tables. */
  ownerConnectionString: string
  /** The names of the migrations that were applied when the database was opened. */
  migrationsApplied: readonly string[]
  /** Ends the pool, then the private server if this process was its last user. */
  close(): Promise<void>
}

/** How this process opens the database, if not by itself. */
export interface OpeningOptions {
  /** The default origin in the audit log. */
  origin?: Origin
  /** The private PostgreSQL, if the caller is starting it already. It is stopped with the database. */
  postgres?: Promise<EmbeddedPostgres> | undefined
  /** Set for a command: the database must be complete, and nothing is created or migrated. */
  isCommand?: boolean
}

/** What to do if a command finds that the database needs a migration. */
const commandRemedy =
  'Commands never create or migrate anything. Run them with the environment of the service (see "Commands" in docs/installing.md), or run "housebill migrate" first.'

/**
 * The fewest connections for the work of partners, so that calls do not wait for each other. Each connection has a
 * PostgreSQL process with caches of its own, which are only fast while they are used, so a few are faster than many:
 * six of 18 keep a process busy even if PostgreSQL is a millisecond away.
 */
const fewestForPartners = 4

/** The logins of the private server that are not its superuser. */
const privateLogins = {
  app: 'housebill_app_login',
  system: 'housebill_system_login',
}

/**
 * Opens, migrates and checks the database: DATABASE_URL, or the private server under DATA_DIR. Normally, the owner
 * migrates, and the pools use logins that have the rights of one runtime role each. With DATABASE_URL alone, in a
 * sandbox, every connection gives up the owner's privileges for those of a runtime role as soon as it opens.
 */
export async function openDatabase(
  config: Config,
  secrets: Secrets,
  log: Logger,
  { origin = { actor: 'worker' }, postgres, isCommand = false }: OpeningOptions = {},
): Promise<OpenDatabase> {
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closer of closers.reverse()) await closer()
  }
  try {
    let privateUrl: string | undefined
    if (secrets.databaseUrl === undefined) {
      const embedded = await (postgres ??
        startEmbeddedPostgres({ dataDir: config.dataDir, log: (message) => log.info(message) }))
      closers.push(embedded.stop)
      privateUrl = embedded.connectionString
    }
    const { hasSeparateLogins, ...logins } = loginsOf(secrets, privateUrl)
    let migrationsApplied: readonly string[] = []
    const isPreparing = !isCommand
    const named = namedLogins(logins, { hasSeparateLogins, privateUrl, directUrl: secrets.databaseDirectUrl })
    if (privateUrl === undefined) await connectLogins(named, { isPreparing })
    if (isPreparing) {
      migrationsApplied = await migrate(logins.owner, await readMigrations(config.realm))
      if (migrationsApplied.length > 0)
        log.info({ applied: migrationsApplied.length, last: migrationsApplied.at(-1) }, 'migrations applied')
      if (privateUrl !== undefined) {
        await createLogins(privateUrl, Object.values(privateLogins))
        await connectLogins(named, { isPreparing })
      }
      if (hasSeparateLogins) await grantRuntimeRoles(logins)
    } else await requireMigrated(logins.owner, await readMigrations(config.realm), commandRemedy)
    const forPartners = Math.max(fewestForPartners, Math.round((config.databasePool - 1) / 3))
    // Commands have statements that take longer.
    const silentForMs = isCommand ? undefined : longestSilenceMs
    const app = createPool(logins.app, log, forPartners, silentForMs)
    // The one that is left listens for notifications.
    const system = createPool(logins.system, log, config.databasePool - 1 - forPartners, silentForMs)
    const pools = [app, system]
    // A connection of its own, so that the probe does not wait for those who wait.
    const probe = createPool(logins.system, log, 1, silentForMs)
    closers.push(async () => void (await Promise.all([...pools, probe].map((pool) => pool.end()))))
    const connectTo = (pool: Pool) => tryHosts(pool.options.connectionString ?? '', () => pool.connect())
    await Promise.all(pools.map((pool) => requirePreparedStatements(() => connectTo(pool))))
    const databases = createDatabases({ app, system }, origin)
    await checkIsolation(databases, { hasSeparateLogins })
    return {
      databases,
      connections: countTogether(pools),
      probe: () => probeWrites(probe),
      connectionString: secrets.databaseDirectUrl ?? logins.app,
      systemConnectionString: logins.system,
      ownerConnectionString: logins.owner,
      migrationsApplied,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Everything that a start would find wrong with DATABASE_URL and the two others: logins, versions, settings, roles and
 * isolation. Changes nothing. What can be known of one login does not wait for the others; logins whose variable is not
 * right are left out. `check` is called with a database in which nothing was wrong.
 */
export async function findDatabaseFailures(
  config: Config,
  secrets: Secrets,
  {
    log,
    isRight,
    check,
  }: { log: Logger; isRight: (variable: string) => boolean; check: (databases: Databases) => Promise<unknown> },
): Promise<unknown[]> {
  const { hasSeparateLogins, ...logins } = loginsOf(secrets, undefined)
  const directUrl = secrets.databaseDirectUrl
  const all = namedLogins(logins, { hasSeparateLogins, privateUrl: undefined, directUrl })
  const named = all.filter(({ variable }) => isRight(variable))
  const isPreparing = false
  const connected = named.map((login) => connectLogins([login], { isPreparing, withSettings: false }))
  const failures = await failuresOf(connected)
  const outcomes = await Promise.allSettled(connected)
  const usable = named.filter((_login, index) => outcomes[index]?.status === 'fulfilled')
  const urls = new Set(usable.map(({ connectionString }) => connectionString))
  // Only the owner can say whether there are tables to look at.
  if (!urls.has(logins.owner)) return failures
  // The first start stores the settings and grants the roles.
  const remedy = 'The first start or "housebill migrate" migrates it.'
  const missing = await failuresOf([requireMigrated(logins.owner, await readMigrations(config.realm), remedy)])
  if (missing.length > 0) return [...failures, ...missing]
  const pools = { app: createPool(logins.app, log, 1), system: createPool(logins.system, log, 1) }
  const { shared, system } = createDatabases(pools)
  const isUsable = (url: string) => !hasSeparateLogins || urls.has(url)
  const found = { ...(isUsable(logins.app) && { shared }), ...(isUsable(logins.system) && { system }) }
  failures.push(
    ...(await failuresOf([
      ...usable.map((login) => connectLogins([login], { isPreparing })),
      connectLogins(usable, { isPreparing, withSettings: false }),
      checkIsolation(found, { hasSeparateLogins }).finally(() => Promise.all([pools.app.end(), pools.system.end()])),
    ])),
  )
  if (failures.length > 0 || named.length < all.length) return failures
  const opening = openDatabase(config, secrets, log, { isCommand: true }).then(({ databases, close }) =>
    check(databases).finally(close),
  )
  return failuresOf([opening])
}

async function failuresOf(work: readonly Promise<unknown>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(work)
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
}

/** What opening the database would migrate. Changes nothing. */
export async function planDatabase(config: Config, secrets: Secrets, log: Logger): Promise<PlannedMigration[]> {
  const embedded =
    secrets.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, log: (message) => log.info(message) })
      : undefined
  try {
    const privateUrl = embedded?.connectionString
    const { hasSeparateLogins, ...logins } = loginsOf(secrets, privateUrl)
    const named = namedLogins(logins, { hasSeparateLogins, privateUrl, directUrl: undefined })
    await connectLogins(named.slice(-1), { isPreparing: false, withSettings: false })
    return await planMigrations(logins.owner, await readMigrations(config.realm))
  } finally {
    await embedded?.stop()
  }
}

function loginsOf(secrets: Secrets, privateUrl: string | undefined): Logins & { hasSeparateLogins: boolean } {
  const { databaseUrl, databaseOwnerUrl, databaseSystemUrl } = secrets
  if (privateUrl !== undefined) {
    const as = (name: string) => {
      const url = new URL(privateUrl)
      url.username = name
      return url.href
    }
    return {
      owner: privateUrl,
      app: as(privateLogins.app),
      system: as(privateLogins.system),
      hasSeparateLogins: true,
    }
  }
  const given = databaseUrl ?? ''
  if (databaseOwnerUrl !== undefined && databaseSystemUrl !== undefined)
    return { owner: databaseOwnerUrl, app: given, system: databaseSystemUrl, hasSeparateLogins: true }
  return {
    owner: given,
    app: connectionStringAs(appRole, given),
    system: connectionStringAs(systemRole, given),
    hasSeparateLogins: false,
  }
}

/** The logins with the variables that name them. */
function namedLogins(
  logins: Logins,
  given: { hasSeparateLogins: boolean; privateUrl: string | undefined; directUrl: string | undefined },
): NamedLogin[] {
  const { owner, app, system } = logins
  const named = (connectionString: string, variable: string): NamedLogin => ({
    connectionString,
    variable: given.privateUrl === undefined ? variable : 'the private PostgreSQL',
  })
  if (!given.hasSeparateLogins) return [named(owner, 'DATABASE_URL')]
  return [
    named(app, 'DATABASE_URL'),
    named(system, 'DATABASE_SYSTEM_URL'),
    named(owner, 'DATABASE_OWNER_URL'),
    ...(given.directUrl === undefined ? [] : [named(given.directUrl, 'DATABASE_DIRECT_URL')]),
  ]
}

function countTogether(pools: readonly Pool[]): PoolCounts {
  const sum = (name: 'totalCount' | 'idleCount' | 'waitingCount') =>
    pools.reduce((total, pool) => total + pool[name], 0)
  return {
    get totalCount() {
      return sum('totalCount')
    },
    get idleCount() {
      return sum('idleCount')
    },
    get waitingCount() {
      return pools.reduce((total, pool) => total + countWaitingWriters(pool), sum('waitingCount'))
    },
    get commitsWaiting() {
      return countWaitingCommits()
    },
    get slowTransactions() {
      return countSlowTransactions()
    },
  }
}

/** PostgreSQL ends a statement after 20 seconds. One without a response for longer will get none. */
const longestSilenceMs = 25_000

/**
 * Independent statements of one transaction are sent together (`pipeline`). A connection in use on which nothing was
 * sent and nothing has arrived for `silentForMs` is ended: its server hangs, or its machine has vanished.
 */
export function createPool(connectionString: string, log: Pick<Logger, 'warn'>, max = 13, silentForMs?: number): Pool {
  const pool = new Pool({
    connectionString,
    Client: HostClient,
    onConnect: (client) => requireWritable(client, connectionString),
    application_name: 'housebill',
    max,
    connectionTimeoutMillis: connectWithinMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis,
    pipeline: true,
    statement_timeout: 20_000,
    idle_in_transaction_session_timeout: 30_000,
  })
  // Commands have transactions that take longer.
  if (silentForMs !== undefined)
    onSlowTransaction(pool, (tookMs) => log.warn({ tookMs }, 'slow transaction: it may have waited for a lock'))
  const inUse = new WeakSet<object>()
  // An idle connection that breaks is replaced at the next use; without this listener the error would end the process.
  // While the pool is being closed, the server may close a connection first, which is not worth logging.
  const report = (error: Error, message: string) => {
    if (!pool.ending) log.warn({ err: error }, message)
  }
  pool.on('error', (error) => report(error, 'idle database connection lost'))
  // The pool removes its own error listener when it hands out a connection. A new connection can break at that moment,
  // before its user adds a listener: a dying server can send its greeting and close the connection in one packet. This
  // listener keeps the process running, and the first statement reports the error.
  pool.on('connect', (client) => {
    client.on('error', (error) => report(error, 'database connection lost'))
    watchForUnconfirmedCommits(client)
    if (silentForMs === undefined) return
    const stream = client.connection.stream as Socket
    stream.setTimeout(silentForMs).on('timeout', () => {
      if (inUse.has(client)) stream.destroy(new Error('Connection terminated, because the server does not respond'))
    })
  })
  pool.on('acquire', (client) => void inUse.add(client))
  pool.on('release', (_error, client) => void inUse.delete(client))
  return pool
}
