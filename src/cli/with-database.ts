import { constants, userInfo } from 'node:os'
import { createLogger } from '../compose/logger.ts'
import { openDatabase } from '../compose/open-database.ts'
import { buildConfig, type Realm } from '../config/config.ts'
import { readEnvironment } from '../config/env.ts'
import { loadSecrets, type Secrets } from '../config/secrets.ts'
import type { Database } from '../db/database.ts'
import type { Databases } from '../db/databases.ts'

export interface CommandDatabase {
  /** With the rights of what goes across partners: commands are the operator's. */
  db: Database
  databases: Databases
  secrets: Secrets
  realm: Realm
  /** Whether an external identity provider keeps the partners' secrets. */
  secretsAreOutside: boolean
  /** Names of the migrations that opening it applied. */
  migrationsApplied: readonly string[]
}

/**
 * Runs a command's work on the database the environment names: beside a running server, or alone, when the private
 * PostgreSQL runs just as long as the command. An interrupted command closes it too.
 * `operation` is the command, as the audit log names it beside the operator's login on this machine.
 */
export async function withDatabase<Result>(
  operation: string,
  work: (opened: CommandDatabase) => Promise<Result>,
): Promise<Result> {
  const environment = readEnvironment()
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  // Only what went wrong, unless more is asked for: the command itself says what it did.
  const log = createLogger(environment.LOG_LEVEL === undefined ? 'warn' : config.server.logLevel)
  const { databases, close, migrationsApplied } = await openDatabase(config, secrets, log, {
    actor: 'operator',
    credential: loginName(),
    operation,
  })
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
      db: databases.system,
      databases,
      secrets,
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

/** A machine may have no name for its user, as containers do. */
function loginName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.geteuid?.() ?? 'unknown'}`
  }
}
