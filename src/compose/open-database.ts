import { Pool } from 'pg'
import type { Logger } from 'pino'
import { startEmbeddedPostgres } from '../../private-postgres/start-embedded.ts'
import type { PoolCounts } from '../adapters/prometheus/pool-metrics.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Origin } from '../db/access.ts'
import { admitLogin } from '../db/admit-login.ts'
import { checkIsolation } from '../db/check-isolation.ts'
import { createDatabases, type Databases } from '../db/databases.ts'
import { migrate } from '../db/migrate.ts'
import { appRole, connectionStringAs } from '../db/runtime-roles.ts'

export interface OpenDatabase {
  databases: Databases
  /** How many connections are in use now. */
  connections: PoolCounts
  /** For a connection of one's own, such as one that listens. It finds nothing of any partner. */
  connectionString: string
  /** Names of the migrations that opening it applied. */
  migrationsApplied: readonly string[]
  /** Ends the pool, then the private server where this process was its last user. */
  close(): Promise<void>
}

const connectionsPerProcess = 20

/**
 * The database as configured, migrated and found to keep partners apart: DATABASE_URL, or the private server under DATA_DIR.
 * Where the owner of the tables is the only login there is, every connection puts the owner's role off from its first moment
 * on; with DATABASE_OWNER_URL the login has no right of its own. Either way a transaction takes on the role it needs. `origin` is who
 * changes something where nobody else is named.
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
    const ownerIsApart = databaseOwnerUrl !== undefined
    if (ownerIsApart) await admitLogin(databaseOwnerUrl, givenUrl)
    const connectionString = ownerIsApart ? givenUrl : connectionStringAs(appRole, givenUrl)
    const pool = createPool(connectionString, log)
    closers.push(() => pool.end())
    const databases = createDatabases(pool, origin)
    await checkIsolation(databases, { ownerIsApart })
    return { databases, connections: pool, connectionString, migrationsApplied, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Statements of one transaction travel together where they do not wait for each other (`pipeline`). */
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
  // An idle connection that breaks is replaced at the next use; without a listener it would end the process.
  // While the pool ends, its server may be faster to let go of a connection than the connection is.
  const report = (error: Error, message: string) => {
    if (!pool.ending) log.warn({ err: error }, message)
  }
  pool.on('error', (error) => report(error, 'idle database connection lost'))
  // The pool takes its own listener off as it hands a connection out. A new one can break in that very moment (its welcome and its
  // end in one packet, when a server dies), before whoever asked for it can listen; the first statement on it then says so.
  pool.on('connect', (client) => client.on('error', (error) => report(error, 'database connection lost')))
  return pool
}
