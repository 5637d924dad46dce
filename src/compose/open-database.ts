import { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { createDatabase, type Database } from '../db/database.ts'
import { startEmbeddedPostgres } from '../db/embedded/start-embedded.ts'
import { grantToRuntimeRole } from '../db/grant-runtime-role.ts'
import { migrate } from '../db/migrate.ts'

export interface OpenDatabase {
  db: Database
  connectionString: string
  /** Names of the migrations that opening it applied. */
  migrationsApplied: readonly string[]
  /** Ends the pool, then the private server where this process was its last user. */
  close(): Promise<void>
}

const connectionsPerProcess = 20

/** The database as configured, migrated: DATABASE_URL, or the private server under DATA_DIR. */
export async function openDatabase(config: Config, secrets: Secrets, log: Logger): Promise<OpenDatabase> {
  const embedded =
    secrets.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, log: (message) => log.info(message) })
      : undefined
  const connectionString = secrets.databaseUrl ?? embedded?.connectionString ?? ''
  let migrationsApplied: readonly string[]
  try {
    migrationsApplied = await migrate(secrets.databaseOwnerUrl ?? connectionString)
    if (migrationsApplied.length > 0) log.info({ applied: migrationsApplied }, 'migrations applied')
    if (secrets.databaseOwnerUrl !== undefined) await grantToRuntimeRole(secrets.databaseOwnerUrl, connectionString)
  } catch (error) {
    await embedded?.stop()
    throw error
  }
  const pool = createPool(connectionString, log)
  return {
    db: createDatabase(pool),
    connectionString,
    migrationsApplied,
    async close() {
      await pool.end()
      await embedded?.stop()
    },
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
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'))
  return pool
}
