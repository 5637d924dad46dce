import { Pool } from 'pg'
import type { Logger } from 'pino'
import { startEmbeddedPostgres } from '../../private-postgres/start-embedded.ts'
import type { PoolCounts } from '../adapters/prometheus/pool-metrics.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Origin } from '../db/access.ts'
import { checkIsolation } from '../db/check-isolation.ts'
import { createDatabases, type Databases } from '../db/databases.ts'
import { grantRuntimeRoles } from '../db/grant-runtime-roles.ts'
import { migrate } from '../db/migrate.ts'
import { requirePreparedStatements } from '../db/require-prepared-statements.ts'
import { appRole, connectionStringAs } from '../db/runtime-roles.ts'

export interface OpenDatabase {
  databases: Databases
  /** How many connections are in use or idle, and how many callers are waiting for one. */
  connections: PoolCounts
  /** The connection string for connections outside the pool, such as listeners. They see no partner's rows. */
  connectionString: string
  /** The names of the migrations that were applied when the database was opened. */
  migrationsApplied: readonly string[]
  /** Ends the pool, then the private server if this process was its last user. */
  close(): Promise<void>
}

const connectionsPerProcess = 20

/**
 * Opens, migrates and checks the database: DATABASE_URL, or the private server under DATA_DIR. Without DATABASE_OWNER_URL, the login owns
 * the tables, so every connection gives up the owner's privileges as soon as it opens. With DATABASE_OWNER_URL, the login has no
 * privileges. Either way, each transaction switches to the role it needs. `origin` is the default origin in the audit log.
 */
export async function openDatabase(
  config: Config,
  secrets: Secrets,
  log: Logger,
  origin: Origin = { actor: 'worker' },
): Promise<OpenDatabase> {
  const { databaseUrl, databaseOwnerUrl } = secrets
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closer of closers.reverse()) await closer()
  }
  try {
    let givenUrl = databaseUrl
    if (givenUrl === undefined) {
      const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log: (message) => log.info(message) })
      closers.push(embedded.stop)
      givenUrl = embedded.connectionString
    }
    const migrationsApplied = await migrate(databaseOwnerUrl ?? givenUrl)
    if (migrationsApplied.length > 0) log.info({ applied: migrationsApplied }, 'migrations applied')
    const hasSeparateOwner = databaseOwnerUrl !== undefined
    if (hasSeparateOwner) await grantRuntimeRoles(databaseOwnerUrl, givenUrl)
    const connectionString = hasSeparateOwner ? givenUrl : connectionStringAs(appRole, givenUrl)
    const pool = createPool(connectionString, log)
    closers.push(() => pool.end())
    await requirePreparedStatements(() => pool.connect())
    const databases = createDatabases(pool, origin)
    await checkIsolation(databases, { hasSeparateOwner })
    return { databases, connections: pool, connectionString, migrationsApplied, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Independent statements of one transaction are sent together (`pipeline`). */
export function createPool(connectionString: string, log: Pick<Logger, 'warn'>): Pool {
  const pool = new Pool({
    connectionString,
    application_name: 'housebill',
    max: connectionsPerProcess,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    pipeline: true,
    statement_timeout: 20_000,
    idle_in_transaction_session_timeout: 30_000,
  })
  // An idle connection that breaks is replaced at the next use; without this listener the error would end the process. While the pool
  // is being closed, the server may close a connection first, which is not worth logging.
  const report = (error: Error, message: string) => {
    if (!pool.ending) log.warn({ err: error }, message)
  }
  pool.on('error', (error) => report(error, 'idle database connection lost'))
  // The pool removes its own error listener when it hands out a connection. A new connection can break at that moment, before its user adds
  // a listener: a dying server can send its greeting and close the connection in one packet. This listener keeps the process running, and
  // the first statement reports the error.
  pool.on('connect', (client) => client.on('error', (error) => report(error, 'database connection lost')))
  return pool
}
