import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { announceContractVersions } from '../back-office/contract-feed/read-contract-feed.ts'
import { watchTasks, watchUnacknowledged, watchUnreported } from '../back-office/contract-feed/watch-counts.ts'
import { countEndedLocks } from '../contracts/locks/count-ended-locks.ts'
import { watchFullAccess } from '../partners/operators/full-access.ts'
import { warnOfExpiry } from '../partners/warn-of-expiry.job.ts'
import { watchLimitUsed } from '../payments/collecting/collect-due-payments.ts'
import { watchRefunds } from '../payments/refunding/pay-open-refunds.ts'
import type { Config } from '../platform/config/config.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Database } from '../platform/db/database.ts'
import { watchForNewerVersion } from '../platform/db/newer-version.ts'
import { watchClock } from '../platform/db/watch-clock.ts'
import { createReadiness } from '../platform/http/routes/health.ts'
import { startScheduler } from '../platform/jobs/scheduler.ts'
import { watchJobs } from '../platform/jobs/watch-jobs.ts'
import { systemClock } from '../platform/kernel/clock.ts'
import { createMailCounts } from '../platform/mail/send-all-mails.ts'
import type { EmbeddedPostgres } from '../platform/private-postgres/start-embedded.ts'
import { createMemoryCounters } from '../platform/rate-limits/call-counter.ts'
import { watchRateCards } from '../quoting/rates/watch-rate-cards.ts'
import { type RequestLog, startRequestLog } from '../sandbox/requests/request-log.ts'
import { startWebhookWorker } from '../webhooks/delivery/webhook-worker.ts'
import { createWebhookSender } from '../webhooks/sender/webhook-sender.ts'
import { endOf, readCertificate, reloadOnSignal } from './certificate.ts'
import { compose, type Replacements } from './compose.ts'
import { buildServer } from './http/server.ts'
import { explainListenError } from './listen-address.ts'
import { createMetrics } from './metrics/metrics.ts'
import { openDatabase } from './open-database.ts'
import { openSandbox } from './sandbox/open-sandbox.ts'
import type { SandboxCredentials } from './sandbox/sandbox-partner.ts'
import { scheduledJobs } from './scheduled-jobs.ts'
import { startTracing } from './tracing.ts'

export interface RunningService {
  /** The port that the service listens on. */
  port: number
  /** The sandbox partner's credentials; includes the secret only if this start created it. */
  sandbox: SandboxCredentials | undefined
  /**
   * Lets current requests finish, then stops the worker and the simulators, then closes the database. Further calls
   * wait for the same shutdown.
   */
  stop(): Promise<void>
}

/** What `serve` is given. `postgres` is the private PostgreSQL, if it is being started already; `serve` stops it. */
interface Given {
  config: Config
  secrets: Secrets
  log: Logger
  postgres?: Promise<EmbeddedPostgres> | undefined
  droppedLogLines?: (() => number) | undefined
}

/**
 * Starts everything that one process runs: database, simulators, server, webhook worker and scheduled jobs. If one part
 * fails to start, stops the others.
 */
export async function serve(
  given: Given,
  replacements: Replacements = { clock: systemClock },
): Promise<RunningService> {
  const { config, secrets, log, postgres, droppedLogLines = () => 0 } = given
  const closers: (() => Promise<unknown>)[] = []
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= closeAll(closers, log)
    return stopping
  }
  if (postgres !== undefined) closers.push(async () => (await postgres).stop())
  try {
    if (config.tracing !== undefined) closers.push(await startTracing(config.tracing, log))
    const { tls } = config.server
    const certificate = tls === undefined ? undefined : await readCertificate(tls)
    let certificateEnds = certificate === undefined ? undefined : endOf(certificate)
    const { databases, connections, connectionString, probe, close } = await openDatabase(config, secrets, log, {
      postgres,
    })
    closers.push(close)
    const db = databases.system
    const sandbox = await openSandbox({ ...given, db }, replacements)
    const { services, upstreams, closeRenderer } = await compose({ config, secrets, databases, log }, replacements)
    closers.push(upstreams.close, closeRenderer)
    const sender = createWebhookSender({ resolver: services.resolver, egress: services.egress })
    closers.push(() => sender.close())
    const worker = startWebhookWorker({
      db,
      connectionString,
      cipher: services.cipher,
      sender,
      announceVersions: announceContractVersions,
      clock: replacements.clock,
      log,
      settings: config.webhooks,
    })
    closers.push(() => worker.stop())
    const { mailSender } = upstreams
    const mailCounts = createMailCounts()
    const jobs = scheduledJobs({
      ...services,
      log,
      requireVerification: config.webhooks.requireVerification,
      ...config.retention,
      collecting: config.collecting.mode === 'off' ? undefined : config.collecting,
      refunding: config.refunding.mode === 'off' ? undefined : config.refunding,
      mailing:
        mailSender === undefined ? undefined : { mailSender, counts: mailCounts, connections: config.mailConnections },
      publicUrl: config.server.publicUrl,
    })
    await warnOfExpiry({ db, clock: services.clock, log })
    const scheduler = startScheduler({ db, log, jobs })
    closers.push(() => scheduler.stop())
    const newerVersion = watchForNewerVersion({ databases, log }, () => Promise.all([worker.stop(), scheduler.stop()]))
    closers.push(() => newerVersion.stop())
    const readiness = createReadiness({
      isStopping: () => stopping !== undefined,
      isOutdated: newerVersion.isFound,
      probe,
    })
    const metrics = createMetrics({
      readiness,
      endedLocks: countEndedLocks(db),
      upstreams,
      pool: connections,
      webhooks: worker.metrics,
      contracts: {
        unacknowledged: watchUnacknowledged(databases.system),
        ...(config.quotes.presumesSupply ? {} : { unreported: watchUnreported(databases.system, services.clock) }),
      },
      tasks: watchTasks(databases.system, services),
      refunds: watchRefunds(databases.system, services.clock),
      rateCardDays: watchRateCards(databases.system, services.clock),
      fullAccess: watchFullAccess({ db, clock: services.clock }),
      jobs: watchJobs(db, jobs),
      limitUsed: config.collecting.mode === 'on' ? watchLimitUsed(db, config.collecting) : async () => undefined,
      clockAhead: watchClock(db),
      certificateEnds: () => certificateEnds,
      mails: mailSender === undefined ? undefined : mailCounts,
      droppedLogLines,
    })
    let credentials: SandboxCredentials | undefined
    const requestLog = config.realm === 'sandbox' ? openRequestLog(db, log) : undefined
    if (requestLog !== undefined) closers.push(requestLog.stop)
    const { app, ...server } = await buildServer(services, {
      realm: config.realm,
      webhookRetrySeconds: config.webhooks.retrySeconds,
      ...config.server,
      rateLimits: config.rateLimits,
      callCounters: createMemoryCounters(),
      logger: log,
      certificate,
      limits: replacements.serverLimits,
      readiness,
      metrics,
      requestLog,
      mailSender,
      identity: upstreams.operatorIdentity,
      sandboxClientId: () => credentials?.clientId,
      ...(upstreams.sandboxPages === undefined ? {} : { sandboxPages: upstreams.sandboxPages }),
    })
    closers.push(server.close)
    if (tls !== undefined)
      closers.push(
        reloadOnSignal(app.server, tls, log, (reloaded) => {
          certificateEnds = endOf(reloaded)
        }),
      )
    await app
      .listen({
        host: config.server.host,
        port: config.server.port,
        listenTextResolver: (address) =>
          `listening at ${tls === undefined ? address : address.replace('http:', 'https:')}`,
      })
      .catch((error: unknown) => {
        throw explainListenError(error, config.server)
      })
    const { port } = app.server.address() as AddressInfo
    credentials = await sandbox.credentials()
    return { port, sandbox: credentials, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Closes everything in the reverse order of starting, even if closing one part fails. */
async function closeAll(closers: (() => Promise<unknown>)[], log: Logger): Promise<void> {
  for (const close of closers.reverse()) {
    try {
      await close()
    } catch (error) {
      log.error({ err: error }, 'closing a component failed')
    }
  }
}

/** The list of a sandbox's requests. A batch that cannot be written is lost, which the log says. */
function openRequestLog(db: Database, log: Logger): RequestLog {
  return startRequestLog(db, (error, lost) =>
    log.warn({ err: error, lost }, 'requests are missing from the list of requests'),
  )
}
