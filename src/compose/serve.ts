import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { createMetrics } from '../adapters/prometheus/metrics.ts'
import { createWebhookSender } from '../adapters/webhook-sender/undici.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { watchUnacknowledged } from '../domain/contract-feed/watch-unacknowledged.ts'
import { createMailCounts } from '../domain/mails/mail-counts.ts'
import { loadConsoleFiles } from '../http/pages/console/console-files.ts'
import { buildServer } from '../http/server.ts'
import { systemClock } from '../kernel/clock.ts'
import { startAuditSealing } from '../worker/audit-sealing.ts'
import { scheduledJobs } from '../worker/jobs/scheduled-jobs.ts'
import { startScheduler } from '../worker/jobs/scheduler.ts'
import { watchForNewerVersion } from '../worker/newer-version.ts'
import { startWebhookWorker } from '../worker/webhooks/webhook-worker.ts'
import { openCallCounters } from './call-counters.ts'
import { readCertificate, reloadOnSignal } from './certificate.ts'
import { compose, type Replacements } from './compose.ts'
import { explainListenError } from './listen-address.ts'
import { openDatabase } from './open-database.ts'
import { prepareSandbox } from './sandbox/prepare-sandbox.ts'
import { ensureSandboxPartner, type SandboxCredentials } from './sandbox/sandbox-partner.ts'

export interface RunningService {
  /** The port that the service listens on. */
  port: number
  /** The sandbox partner's credentials; includes the secret only if this start created it. */
  sandbox: SandboxCredentials | undefined
  /**
   * Lets current requests finish, then stops the worker and the simulators, then closes the database. Further calls wait for the same
   * shutdown.
   */
  stop(): Promise<void>
}

/**
 * Starts everything that one process runs: database, simulators, server, webhook worker and scheduled jobs. If one part fails to start,
 * stops the others.
 */
export async function serve(
  given: { config: Config; secrets: Secrets; log: Logger },
  replacements: Replacements = { clock: systemClock },
): Promise<RunningService> {
  const { config, secrets, log } = given
  const secretsAreExternal = config.auth.identityProvider !== undefined
  const closers: (() => Promise<unknown>)[] = []
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= closeAll(closers, log)
    return stopping
  }
  // Start loading these files while the database opens. The server awaits them and reports any error.
  loadConsoleFiles().catch(() => undefined)
  try {
    const { tls } = config.server
    const certificate = tls === undefined ? undefined : await readCertificate(tls)
    const { databases, connections, connectionString, close } = await openDatabase(config, secrets, log)
    closers.push(close)
    const db = databases.system
    if (config.realm === 'sandbox') {
      await prepareSandbox({ db, log, withSamples: config.addresses.source === 'database' })
    }
    const ensurePartner = async () =>
      config.realm === 'sandbox'
        ? ensureSandboxPartner(
            { db, clock: replacements.clock },
            { clientId: secrets.sandboxClientId, clientSecret: secrets.sandboxClientSecret, secretsAreExternal },
          )
        : undefined
    // Configured credentials work from the first request on. A generated secret is shown only once, by the caller, so it is generated last,
    // when nothing else can fail.
    const secretIsGiven = secretsAreExternal || secrets.sandboxClientSecret !== undefined
    const givenPartner = secretIsGiven ? await ensurePartner() : undefined
    const { counters, isShared: isRedisShared, close: closeCounters } = await openCallCounters({ config, secrets, log })
    closers.push(closeCounters)
    const { services, upstreams, closeRenderer } = await compose({ config, secrets, databases, log }, replacements)
    closers.push(upstreams.close, closeRenderer)
    const sender = createWebhookSender({ resolver: services.resolver, egress: services.egress })
    closers.push(() => sender.close())
    const worker = startWebhookWorker({
      db,
      connectionString,
      cipher: services.cipher,
      sender,
      clock: replacements.clock,
      log,
      settings: config.webhooks,
    })
    closers.push(() => worker.stop())
    const sealing = startAuditSealing({ databases, log })
    closers.push(() => sealing.stop())
    const { mailSender } = upstreams
    const mailCounts = createMailCounts()
    const jobs = scheduledJobs({
      databases,
      cipher: services.cipher,
      erasureLedger: services.erasureLedger,
      clock: services.clock,
      paymentProcessor: services.paymentProcessor,
      log,
      requireVerification: config.webhooks.requireVerification,
      abandonedQuoteDays: config.retention.abandonedQuoteDays,
      bankHolidays: services.bankHolidays,
      collecting: config.collecting.mode === 'off' ? undefined : config.collecting,
      mailing: mailSender === undefined ? undefined : { mailSender, counts: mailCounts },
      publicUrl: config.server.publicUrl,
    })
    const scheduler = startScheduler({ db, log, jobs })
    closers.push(() => scheduler.stop())
    const newerVersion = watchForNewerVersion({ databases, log }, () =>
      Promise.all([worker.stop(), sealing.stop(), scheduler.stop()]),
    )
    closers.push(() => newerVersion.stop())
    const { app, close: closeServer } = await buildServer(services, {
      realm: config.realm,
      webhookRetrySeconds: config.webhooks.retrySeconds,
      ...config.server,
      rateLimits: config.rateLimits,
      callCounters: counters,
      logger: log,
      certificate,
      limits: replacements.serverLimits,
      isStopping: () => stopping !== undefined,
      isOutdated: newerVersion.isFound,
      metrics: createMetrics({
        upstreams: upstreams.counters,
        pool: connections,
        webhooks: worker.metrics,
        unacknowledged: watchUnacknowledged(databases.forOperator()),
        mails: mailSender === undefined ? undefined : mailCounts,
        isRedisShared,
      }),
      ...(upstreams.sandboxPages === undefined ? {} : { sandboxPages: upstreams.sandboxPages }),
    })
    closers.push(closeServer)
    if (tls !== undefined) closers.push(reloadOnSignal(app.server, tls, log))
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
    return { port, sandbox: givenPartner ?? (await ensurePartner()), stop }
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
