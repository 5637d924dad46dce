import { constants, userInfo } from 'node:os'
import { Client } from 'pg'
import type { Logger } from 'pino'
import { createLogger } from '../app/logger.ts'
import { openDatabase, planDatabase } from '../app/open-database.ts'
import { warnOfCloseNames } from '../platform/config/close-names.ts'
import { buildConfig, type Config, type Realm } from '../platform/config/config.ts'
import { urlPerHost } from '../platform/config/database-urls.ts'
import { loadEnvironment } from '../platform/config/load-environment.ts'
import { type Creating, loadSecrets, type Secrets } from '../platform/config/secrets.ts'
import type { Database } from '../platform/db/database.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { PlannedMigration } from '../platform/db/migrate.ts'
import { invocation } from './invocation.ts'
import { printError } from './print.ts'

export interface CommandDatabase {
  /** Gives access to all partners' data, because only the operator runs commands. */
  db: Database
  databases: Databases
  /** The connection string of the role that owns the tables. */
  ownerConnectionString: string
  config: Config
  secrets: Secrets
  log: Logger
  realm: Realm
  /** The login name of whoever runs the command. */
  operatorName: string
  /** Whether an external identity provider keeps the partners' secrets. */
  secretsAreExternal: boolean
  /** The names of the migrations that were applied when the database was opened. */
  migrationsApplied: readonly string[]
}

/**
 * Runs a command's work on the configured database, even while a server is using it. The private PostgreSQL runs only
 * as long as the command does, unless something else uses it. Creates and migrates nothing, except that `migrate` does
 * so to what DATABASE_URL names. Closes the database even after an interrupt. The audit log records `operation` (the
 * command) and the operator's login name.
 */
export async function withDatabase<Result>(
  operation: string,
  work: (opened: CommandDatabase) => Promise<Result>,
  { isMigrating = false }: { isMigrating?: boolean } = {},
): Promise<Result> {
  const { config, secrets, log } = await readDeployment(isMigrating ? 'nothing, not even read keys' : 'nothing')
  const operatorName = loginName()
  const { databases, ownerConnectionString, close, migrationsApplied } = await openDatabase(config, secrets, log, {
    isCommand: !isMigrating,
    origin: { actor: 'operator', credential: operatorName, operation },
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
      ownerConnectionString,
      config,
      secrets,
      log,
      realm: config.realm,
      operatorName,
      secretsAreExternal: config.auth.identityProvider !== undefined,
      migrationsApplied,
    })
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
    await closeOnce()
  }
}

/** The migrations that `migrate` would run. */
export async function planMigration(): Promise<PlannedMigration[]> {
  const { config, secrets, log } = await readDeployment('nothing, not even read keys')
  return planDatabase(config, secrets, log)
}

/** Reads the environment, and says which deployment it is. */
async function readDeployment(creating: Creating): Promise<{ config: Config; secrets: Secrets; log: Logger }> {
  const host = invocation()
  const environment = await loadEnvironment({ source: host.environment })
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir, creating)
  // Logs only problems by default, because the command itself prints what it did.
  const log = createLogger(environment.LOG_LEVEL === undefined ? 'warn' : config.server.logLevel, host.stderr)
  nameDeployment(config, secrets)
  warnOfCloseNames(log, host.environment)
  return { config, secrets, log }
}

/** The user's login name or, if there is none (as in some containers), the user id. */
function loginName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.geteuid?.() ?? 'unknown'}`
  }
}

/**
 * Says on standard error which deployment and database the command works on, so that nobody takes the response of one
 * for that of another. With --json, the output says it.
 */
function nameDeployment({ realm, server, dataDir }: Config, { databaseUrl }: Pick<Secrets, 'databaseUrl'>): void {
  const call = invocation()
  const named = { environment: realm, publicUrl: server.publicUrl, database: nameDatabase(databaseUrl, dataDir) }
  call.deployment = named
  if (call.asJson) return
  printError(`Deployment: ${named.environment} at ${named.publicUrl}. Database: ${named.database}.`)
}

function nameDatabase(url: string | undefined, dataDir: string): string {
  if (url === undefined) return `private, in ${dataDir}`
  const clients = urlPerHost(url).map((connectionString) => new Client({ connectionString }))
  const hosts = clients.map(({ host, port }) => (host.startsWith('/') ? host : `${host}:${port}`))
  return `${clients[0]?.database} at ${hosts.join(', ')}`
}
