import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Replacements } from '../../src/app/compose.ts'
import { createLogger } from '../../src/app/logger.ts'
import { type RunningService, serve } from '../../src/app/serve.ts'
import { createThreadedRenderer } from '../../src/contracts/renderer/threads/threaded-renderer.ts'
import { buildConfig, type Config } from '../../src/platform/config/config.ts'
import { type Environment, readEnvironment } from '../../src/platform/config/env.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { type Clock, systemClock } from '../../src/platform/kernel/clock.ts'
import type { NameResolver } from '../../src/platform/outbound/name-lookup.ts'
import { atTheEnd } from './at-the-end.ts'
import { createTestDatabase, runStatements, type TestDatabase } from './postgres.ts'
import { sandboxContents, sandboxCredentials } from './sandbox-contents.ts'
import { holdJobs } from './scheduled-jobs.ts'

import './loopback-only.ts'

/** A complete sandbox on a free local port, with a real server, simulators, worker and database. */
export interface ServiceUnderTest {
  baseUrl: string
  config: Config
  connectionString: string
  credentials: { clientId: string; clientSecret: string }
  /** The environment of the service, for commands that run alongside it. */
  environment: Environment
}

/** A service that belongs to one test file, which must stop it. */
export interface TestService extends ServiceUnderTest {
  stop(): Promise<void>
}

/** A clock that a test can set. It then advances in real time. */
export function movableClock(startAt: string): Clock & { moveTo(instant: string): void } {
  let offset = Date.parse(startAt) - Date.now()
  return {
    now: () => new Date(Date.now() + offset),
    moveTo(instant) {
      offset = Date.parse(instant) - Date.now()
    },
  }
}

/** The default resolver of test services: it resolves only localhost and queries no name server. */
const nobodyElse: NameResolver = {
  resolve: async (hostname) => (hostname === 'localhost' ? ['127.0.0.1', '::1'] : []),
}

/** The environment variables that determine which rows are inserted when a service starts for the first time. */
const decideContents = ['HOUSEBILL_ENV', 'SANDBOX_CLIENT_ID', 'SANDBOX_CLIENT_SECRET', 'ADDRESS_SOURCE']

/**
 * Starts a sandbox. `environment` overrides individual variables; an empty value unsets one. Rate limits are off unless
 * a test sets them, and scheduled jobs do not run unless it `hasSchedule`. The database already has the rows that a first
 * start would insert, unless `environment` sets variables that determine them or the test passes a `database` (a
 * superuser's connection string). Stopping the service drops the database.
 */
export async function startTestService(
  environment: Environment = {},
  replacements: Partial<Replacements> & { log?: Logger; database?: TestDatabase; hasSchedule?: boolean } = {},
): Promise<TestService> {
  const { database: given, hasSchedule = false, ...replaced } = replacements
  const isPrepared = given === undefined && !decideContents.some((name) => name in environment)
  const database = given ?? (await createTestDatabase(isPrepared ? sandboxContents : undefined, { hasSchedule }))
  const credentials = isPrepared ? sandboxCredentials : newCredentials()
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-service-'))
  const port = await findFreePort()
  const complete = readEnvironment({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: database.connectionString,
    DATA_DIR: dataDir,
    SANDBOX_CLIENT_ID: credentials.clientId,
    SANDBOX_CLIENT_SECRET: credentials.clientSecret,
    RATE_LIMIT_PER_SECOND: '0',
    TOKEN_RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
    ...environment,
  })
  const config = buildConfig(complete)
  const secrets = await loadSecrets(complete, config.realm, config.dataDir)
  const { log = createLogger(config.server.logLevel), ...others } = replaced
  const defaults = { clock: systemClock, resolver: nobodyElse, documentRenderer: sharedRenderer() }
  // A test reads what its last request changed.
  const serverLimits = { metricsFreshForMs: 0, ...others.serverLimits }
  let service: RunningService | undefined = await serve(
    { config, secrets, log },
    { ...defaults, ...others, serverLimits },
  )
  // The service has migrated this database itself, and waits a moment before it runs jobs.
  if (given !== undefined && !hasSchedule) await runStatements(database.connectionString, holdJobs)
  return {
    baseUrl: config.server.publicUrl,
    config,
    connectionString: database.connectionString,
    credentials,
    environment: complete,
    async stop() {
      await service?.stop()
      // The test runner keeps its hooks, and with them all that a service has, until the process ends.
      service = undefined
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

let renderer: ReturnType<typeof createThreadedRenderer> | undefined

/**
 * The renderer of all services of this process: starting the threads costs as much processor time as twenty documents.
 */
function sharedRenderer(): NonNullable<typeof renderer> {
  if (renderer === undefined) {
    const started = createThreadedRenderer({ onThreadEnded: (error) => process.emitWarning(error) })
    atTheEnd(() => {
      renderer = undefined
      return started.close()
    })
    renderer = started
  }
  return { ...renderer, close: async () => undefined }
}

function newCredentials(): TestService['credentials'] {
  return {
    clientId: `sb_test_${randomBytes(4).toString('hex')}`,
    clientSecret: randomBytes(16).toString('hex'),
  }
}

/**
 * Finds a local port that is free now. It is below the ports that systems use for outgoing connections, so that no
 * outgoing connection can take it before the test listens.
 */
export async function findFreePort(): Promise<number> {
  const port = randomInt(12_000, 32_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve, reject) => {
    server.once('listening', () => server.close(() => resolve(true)))
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(port, '127.0.0.1')
  })
  return isFree ? port : findFreePort()
}

/**
 * Starts a second service for the same deployment, to test restarts and several processes. It has the same database and
 * environment but shares no state in memory. It listens on another port but keeps the same public URL.
 */
export async function startSecondService(
  service: Pick<ServiceUnderTest, 'environment'>,
  { clock = systemClock }: { clock?: Clock } = {},
): Promise<{ baseUrl: string; stop(): Promise<void> }> {
  const port = await findFreePort()
  const environment = { ...service.environment, PORT: String(port) }
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  const { stop } = await serve({ config, secrets, log: createLogger('silent') }, { clock })
  return { baseUrl: `http://127.0.0.1:${port}`, stop }
}
