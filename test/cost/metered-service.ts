import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { compose } from '../../src/app/compose.ts'
import { buildServer } from '../../src/app/http/server.ts'
import { createLogger } from '../../src/app/logger.ts'
import { createMetrics } from '../../src/app/metrics/metrics.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { ensureSandboxPartner } from '../../src/app/sandbox/sandbox-partner.ts'
import { scheduledJobs } from '../../src/app/scheduled-jobs.ts'
import { buildConfig } from '../../src/platform/config/config.ts'
import { readEnvironment } from '../../src/platform/config/env.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { inTransaction } from '../../src/platform/db/database.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { readMigrations } from '../../src/platform/db/newer-version.ts'
import { currentTraceId } from '../../src/platform/kernel/request-context.ts'
import { createMailCounts } from '../../src/platform/mail/send-all-mails.ts'
import { createMemoryCounters } from '../../src/platform/rate-limits/call-counter.ts'
import { dispatchEvents } from '../../src/webhooks/delivery/dispatch.store.ts'
import { advanceReplay } from '../../src/webhooks/replay/advance-replay.ts'
import { startOwnCluster } from '../isolation/own-cluster.ts'
import { sandboxContents, sandboxCredentials } from '../support/sandbox-contents.ts'
import { findFreePort, type TestService } from '../support/service.ts'
import { type Cost, DatabaseMeter } from './database-meter.ts'

interface MeteredRequest {
  operationId: string
  cost: Cost
}

/** A sandbox without background work that meters every request. */
export interface MeteredService extends TestService {
  meter: DatabaseMeter
  /** Returns the costs of all successful requests since the last call, in their order. */
  takeCosts(): MeteredRequest[]
  /**
   * Verifies the webhooks and does what the webhook worker would do until it sends messages, which nobody does here.
   */
  dispatch(): Promise<void>
  /** Runs every scheduled job once. */
  runJobs(): Promise<void>
}

/**
 * Dates in the journeys are later than this. The clock stands still, so that nothing in memory needs to be read again.
 */
export const now = new Date('2026-11-20T09:29:10.041Z')

/** Every statement has one plan, which PostgreSQL keeps until it learns more about a table, and reports at each use. */
const explaining = [
  `plan_cache_mode = 'force_generic_plan'`,
  `session_preload_libraries = 'auto_explain'`,
  `auto_explain.log_min_duration = 0`,
  `auto_explain.log_analyze = on`,
  `auto_explain.log_timing = off`,
  `auto_explain.log_nested_statements = on`,
  `auto_explain.log_format = 'json'`,
  `auto_explain.log_level = 'notice'`,
]

/**
 * Starts a sandbox with a server and simulators, but without webhook worker and scheduled jobs. Handles one request at
 * a time. If it `explains`, the meter reports plans instead of counting, and PostgreSQL knows no more about the tables
 * than on a new deployment. Unless it `isCounting`, it counts neither rows nor WAL records.
 */
export async function startMeteredService({
  explains = false,
  isCounting = !explains,
}: {
  explains?: boolean
  isCounting?: boolean
} = {}): Promise<MeteredService> {
  // Transactions of other tests would put off the removal of old rows, which then costs a metered request WAL records.
  const cluster = await startOwnCluster()
  const database = await cluster.createDatabase('metered')
  if (explains) for (const setting of explaining) await cluster.administer(`alter database metered set ${setting}`)
  await migrate(database.connectionString, await readMigrations('sandbox'))
  await sandboxContents.fill(database.connectionString)
  const meter = await DatabaseMeter.install(database.connectionString, { counts: isCounting })
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-metered-'))
  const port = await findFreePort()
  const environment = readEnvironment({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: database.connectionString,
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_SECOND: '0',
    TOKEN_RATE_LIMIT_PER_MINUTE: '0',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    LOG_LEVEL: 'silent',
  })
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  const log = createLogger('silent')
  const { databases, connections, close } = await openDatabase(config, secrets, log)
  const { services, upstreams, closeRenderer } = await compose(
    { config, secrets, databases, log },
    { clock: { now: () => now }, resolver: { resolve: async () => ['127.0.0.1'] } },
  )
  // Its credentials have no seal yet: see `sandboxContents`.
  const { cipher } = services
  const longAgo = { now: () => new Date(0) }
  await ensureSandboxPartner(
    { db: databases.system, clock: longAgo, cipher },
    { ...sandboxCredentials, secretsAreExternal: false },
  )
  const { app, close: closeServer } = await buildServer(services, {
    realm: config.realm,
    webhookRetrySeconds: config.webhooks.retrySeconds,
    ...config.server,
    rateLimits: config.rateLimits,
    callCounters: createMemoryCounters(),
    logger: log,
    readiness: async () => ({ status: 'ready', isReady: true }),
    metrics: createMetrics({ upstreams, pool: connections }),
    mailSender: upstreams.mailSender,
    identity: upstreams.operatorIdentity,
    ...(upstreams.sandboxPages === undefined ? {} : { sandboxPages: upstreams.sandboxPages }),
  })
  const jobs = scheduledJobs({
    ...services,
    ...config.retention,
    log,
    requireVerification: config.webhooks.requireVerification,
    collecting: config.collecting.mode === 'off' ? undefined : config.collecting,
    refunding: config.refunding.mode === 'off' ? undefined : config.refunding,
    mailing: upstreams.mailSender && { mailSender: upstreams.mailSender, counts: createMailCounts(), connections: 1 },
    publicUrl: config.server.publicUrl,
  })
  const takeCosts = meterRequests(app, meter)
  await app.listen({ host: config.server.host, port })
  return {
    baseUrl: config.server.publicUrl,
    config,
    connectionString: database.connectionString,
    credentials: sandboxCredentials,
    environment,
    meter,
    takeCosts,
    async dispatch() {
      await meter.observe(`update webhooks set verification = 'verified'`)
      while ((await inTransaction(databases.system, {}, (tx) => dispatchEvents(tx, 1_000))).hasMore);
      while (await advanceReplay({ db: databases.system }, { batch: 1_000, maxWaiting: 1_000 }));
    },
    async runJobs() {
      for (const job of jobs) await job.run(new AbortController().signal)
    },
    async stop() {
      for (const closePart of [closeServer, upstreams.close, closeRenderer, close]) await closePart()
      await meter.close()
      await cluster.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * Meters one request after the other, each until its response is about to be sent. A notice of the payment processor is
 * handled between the requests: after the one that caused it, before the next one.
 */
function meterRequests(app: FastifyInstance, meter: DatabaseMeter): MeteredService['takeCosts'] {
  let costs: MeteredRequest[] = []
  let latest = Promise.resolve()
  let metered = Promise.resolve()
  const ends = new WeakMap<FastifyRequest, () => void>()
  const isNotice = (request: FastifyRequest) => request.url.startsWith('/processor-webhooks/')

  app.addHook('onRequest', async (request) => {
    if (isNotice(request)) return metered
    const before = latest
    const own = new Promise<void>((resolve) => ends.set(request, resolve))
    latest = own
    await before
    while ((await meter.observe('select from simulated_processor.outgoing_webhooks limit 1')).length > 0)
      await nextTurn()
    metered = own
    await meter.begin()
  })
  app.addHook('preHandler', async (request) => {
    if (!isNotice(request)) meter.follow(currentTraceId())
  })
  const end = async (request: FastifyRequest, reply: FastifyReply) => {
    const cost = await meter.end()
    const { operationId = '' } = request.routeOptions.config as { operationId?: string }
    if (reply.statusCode === 200) costs.push({ operationId, cost })
    ends.get(request)?.()
    ends.delete(request)
  }
  // The content of an export is read while it is sent.
  app.addHook('onSend', async (request, reply, payload) => {
    if (ends.has(request) && !(payload instanceof Readable)) await end(request, reply)
  })
  app.addHook('onResponse', async (request, reply) => {
    if (ends.has(request)) await end(request, reply)
  })
  return () => {
    const taken = costs
    costs = []
    return taken
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
