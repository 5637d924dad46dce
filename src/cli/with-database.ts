import { constants } from 'node:os'
import { createLogger } from '../compose/logger.ts'
import { openDatabase } from '../compose/open-database.ts'
import { buildConfig, type Realm } from '../config/config.ts'
import { readEnvironment } from '../config/env.ts'
import { loadSecrets } from '../config/secrets.ts'
import type { Database } from '../db/database.ts'

export interface CommandDatabase {
  db: Database
  realm: Realm
  /** Whether an external identity provider keeps the partners' secrets. */
  secretsAreOutside: boolean
  /** Names of the migrations that opening it applied. */
  migrationsApplied: readonly string[]
}

/**
 * Runs a command's work on the database the environment names: beside a running server, or alone, when the private
 * PostgreSQL runs just as long as the command. An interrupted command closes it too.
 */
export async function withDatabase<Result>(work: (opened: CommandDatabase) => Promise<Result>): Promise<Result> {
  const environment = readEnvironment()
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  // Only what went wrong, unless more is asked for: the command itself says what it did.
  const log = createLogger(environment.LOG_LEVEL === undefined ? 'warn' : config.server.logLevel)
  const { db, close, migrationsApplied } = await openDatabase(config, secrets, log)
  let closed: Promise<void> | undefined
  const closeOnce = () => {
    closed ??= close()
    return closed
  }
  const interrupt = (signal: NodeJS.Signals) => {
    closeOnce().finally(() => process.exit(128 + constants.signals[signal]))
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    return await work({
      db,
      realm: config.realm,
      secretsAreOutside: config.auth.identityProvider !== undefined,
      migrationsApplied,
    })
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
    await closeOnce()
  }
}
