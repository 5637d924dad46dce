import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { TaskKind } from '../../back-office/tasks/task-kinds.ts'
import { upstreamFailureKinds } from '../../platform/kernel/upstream-failure.ts'
import type { MailCounts } from '../../platform/mail/send-all-mails.ts'
import { breakerStates, type UpstreamCounters } from '../../platform/outbound/counters.ts'
import type { WebhookBacklog } from '../../webhooks/delivery/backlog.store.ts'
import type { WebhookMetrics } from '../../webhooks/delivery/send-deliveries.ts'

/** A service's metrics in the Prometheus text format. Labels name operations and systems, never people or ids. */
export interface Metrics {
  countRequest(outcome: RequestOutcome): void
  countDroppedConnection(reason: 'all' | 'site'): void
  contentType: string
  /** Returns the current values as text. */
  render(): Promise<string>
}

/** One completed request. */
interface RequestOutcome {
  /** The operation's id, or the path's pattern if it has none. */
  operation: string
  status: number
  seconds: number
}

/** A connection pool's counts, such as those of the PostgreSQL client's pool. */
export interface PoolCounts {
  totalCount: number
  idleCount: number
  waitingCount: number
  /** Transactions that have waited for their commit for more than a second. */
  commitsWaiting: number
  /** Transactions that may write and took more than a second, since the process started. */
  slowTransactions: number
}

/** Reads a value that every process reads the same; undefined if the database could not provide it. */
type FromDatabase<Value> = () => Promise<Value | undefined>

interface MetricSources {
  /** Whether this process can handle requests. */
  readiness?: () => Promise<{ isReady: boolean }>
  /** How many ends of locks this process has stored. */
  endedLocks?: () => number
  upstreams: { counters(): readonly UpstreamCounters[]; callDurations: CallDurations }
  pool: PoolCounts
  /** Undefined for a process that sends no webhooks. */
  webhooks?: () => WebhookMetrics
  /**
   * What waits for the back office; undefined if that is not known. `unreported` is absent where supply is presumed.
   */
  contracts?: {
    unacknowledged: FromDatabase<number>
    unreported?: FromDatabase<number>
  }
  /** How many tasks of each kind wait for the operator. */
  tasks?: FromDatabase<Readonly<Record<TaskKind, number>>>
  /** How many open refunds must be paid back within three days, and how many should have been. */
  refunds?: FromDatabase<{ overdue: number; soon: number }>
  /** How many days are left on the rate cards; undefined if they have no end. */
  rateCardDays?: FromDatabase<number>
  /** How long the operator's credentials with every scope work; undefined if one of them never expires. */
  fullAccess?: FromDatabase<{ secondsLeft: number }>
  /** How many seconds ago each scheduled job last succeeded, and how many later than planned that makes the next time. */
  jobs?: FromDatabase<{ sinceSuccess: Readonly<Record<string, number>>; late: Readonly<Record<string, number>> }>
  /** How much of the day's limit has been asked for; undefined if Housebill collects nothing. */
  limitUsed?: FromDatabase<number>
  /** How far this clock is ahead of the database's, in seconds. */
  clockAhead?: FromDatabase<number>
  /** When the certificate of this process ends; undefined if it serves no TLS. */
  certificateEnds?: () => Date | undefined
  /** Undefined for a process that sends no e-mail. */
  mails?: MailCounts | undefined
  /** How many access lines the log has left out; undefined if it waits for its reader. */
  droppedLogLines?: (() => number) | undefined
}

/** Reads all sources on each request. Two services in one process share only the metrics of the process itself. */
export function createMetrics({ upstreams, pool, webhooks, ...sources }: MetricSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const { readiness, endedLocks, contracts, tasks, refunds, rateCardDays, fullAccess, mails, droppedLogLines } = sources
  const { jobs, limitUsed, clockAhead, certificateEnds } = sources

  const requests = new Counter({
    name: 'housebill_http_requests_total',
    help: 'Completed requests, by operation and status class.',
    labelNames: ['operation', 'status'],
    registers,
  })
  // Without the status, and with few buckets: each operation adds a line for each of them to the page.
  const durations = new Histogram({
    name: 'housebill_http_request_duration_seconds',
    help: 'The time until the response was sent, by operation.',
    labelNames: ['operation'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 10],
    registers,
  })
  const dropped = new Counter({
    name: 'housebill_connections_dropped_total',
    help: 'Connections closed at once because there are too many: in all, or from one site.',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of ['all', 'site']) dropped.inc({ reason }, 0)

  registry.registerMetric(upstreams.callDurations)
  const ofUpstreams = (count: (counters: UpstreamCounters) => number) => (): Sample[] =>
    upstreams.counters().map((each) => [count(each), { upstream: each.upstream }])
  read(registry, Counter, {
    housebill_upstream_calls_total: [
      'Completed calls to an external system, whatever their outcome.',
      ofUpstreams(({ calls }) => calls),
    ],
    housebill_upstream_tries_total: [
      'Requests sent for calls to an external system, including retries.',
      ofUpstreams(({ tries }) => tries),
    ],
    housebill_upstream_breaker_openings_total: [
      'How often the circuit breaker has opened since the process started.',
      ofUpstreams(({ breakerOpenings }) => breakerOpenings),
    ],
    housebill_upstream_failures_total: [
      'Calls to an external system that failed, by kind of failure.',
      () =>
        upstreams
          .counters()
          .flatMap(({ upstream, failures }) =>
            upstreamFailureKinds.map((kind): Sample => [failures[kind], { upstream, kind }]),
          ),
    ],
  })
  read(registry, Gauge, {
    housebill_upstream_in_flight: ['Calls in progress to an external system.', ofUpstreams(({ inFlight }) => inFlight)],
    housebill_upstream_breaker: [
      'State of the circuit breaker: 1 for the current state, 0 for the others.',
      () =>
        upstreams
          .counters()
          .flatMap(({ upstream, breaker }) =>
            breakerStates.map((state): Sample => [state === breaker ? 1 : 0, { upstream, state }]),
          ),
    ],
    housebill_postgres_connections: [
      'Open PostgreSQL connections of the pool, by state.',
      () => byLabel('state', { in_use: pool.totalCount - pool.idleCount, idle: pool.idleCount }),
    ],
    housebill_postgres_waiting: [
      'Statements and transactions waiting for a pool connection.',
      () => one(pool.waitingCount),
    ],
    housebill_postgres_commits_waiting: [
      'Transactions whose commit has waited for more than a second, usually for a standby.',
      () => one(pool.commitsWaiting),
    ],
  })
  read(registry, Counter, {
    housebill_postgres_slow_transactions_total: [
      'Transactions that may write and took more than a second, such as because they waited for a lock.',
      () => one(pool.slowTransactions),
    ],
  })
  if (readiness !== undefined)
    read(registry, Gauge, {
      housebill_ready: [
        '1 while the process can handle requests and the database accepts writes, otherwise 0.',
        async () => one((await readiness()).isReady ? 1 : 0),
      ],
    })
  if (endedLocks !== undefined)
    read(registry, Counter, {
      housebill_locks_ended_total: [
        'Quotes whose lock ended before everybody had accepted, once that was stored.',
        () => one(endedLocks()),
      ],
    })
  if (webhooks !== undefined) readWebhooks(registry, webhooks)
  if (contracts !== undefined)
    read(registry, Gauge, {
      housebill_contracts_unacknowledged: [
        'Contracts that are or were in force and have had a version for a day that the back office has not acknowledged.',
        async () => one(await contracts.unacknowledged()),
      ],
    })
  const unreported = contracts?.unreported
  if (unreported !== undefined)
    read(registry, Gauge, {
      housebill_services_unreported: [
        'Services of contracts in force whose first day has passed without any report about their supply.',
        async () => one(await unreported()),
      ],
    })
  if (tasks !== undefined)
    read(registry, Gauge, {
      housebill_tasks: [
        "The operator's tasks, by kind, as GET /operator-api/Tasks lists them; up to 1,000 of each.",
        async () => byLabel('kind', await tasks()),
      ],
    })
  if (refunds !== undefined)
    read(registry, Gauge, {
      housebill_refunds_open: [
        'Open refunds of which the last day is within three days (soon) or has passed (overdue).',
        async () => byLabel('due', await refunds()),
      ],
    })
  if (rateCardDays !== undefined)
    read(registry, Gauge, {
      housebill_rate_cards_days_left: [
        'Days until the rate cards, or the days for which their figures were published, end without a successor.',
        async () => one(await rateCardDays()),
      ],
    })
  if (fullAccess !== undefined)
    read(registry, Gauge, {
      housebill_operator_credentials_expire_seconds: [
        'Seconds until the last of the operator credentials with every scope expires.',
        async () => one((await fullAccess())?.secondsLeft),
      ],
    })
  if (jobs !== undefined)
    read(registry, Gauge, {
      housebill_job_success_age_seconds: [
        'Seconds since a scheduled job last succeeded in any process.',
        async () => byLabel('scheduled_job', (await jobs())?.sinceSuccess),
      ],
      housebill_job_late_seconds: [
        'How many seconds later than planned the next success of a scheduled job is; 0 if it is in time. A run under way does not count for two hours.',
        async () => byLabel('scheduled_job', (await jobs())?.late),
      ],
    })
  if (limitUsed !== undefined)
    read(registry, Gauge, {
      housebill_collecting_limit_used: [
        "How much of the day's COLLECTIONS_DAILY_LIMIT_POUNDS has been asked for, from 0 to 1.",
        async () => one(await limitUsed()),
      ],
    })
  if (clockAhead !== undefined)
    read(registry, Gauge, {
      housebill_clock_ahead_seconds: [
        "How far the clock of this process is ahead of the database's; negative if it is behind.",
        async () => one(await clockAhead()),
      ],
    })
  if (certificateEnds !== undefined)
    read(registry, Gauge, {
      housebill_certificate_expires_seconds: [
        'Seconds until the certificate that this process serves ends.',
        () => {
          const end = certificateEnds()
          return one(end && (end.getTime() - Date.now()) / 1_000)
        },
      ],
    })
  if (mails !== undefined)
    read(registry, Counter, {
      housebill_mails_total: [
        'Attempts to send an e-mail to the contact of a partner or to a tenant: sent, failed (and retried), given up, or unusable (no mail server could be used, or it took nothing from us; kept).',
        () => byLabel('outcome', { ...mails }),
      ],
    })
  if (droppedLogLines !== undefined)
    read(registry, Counter, {
      housebill_log_lines_dropped_total: [
        'Access lines that were not logged, because whoever reads the log was too slow.',
        () => one(droppedLogLines()),
      ],
    })

  const all = Registry.merge([registry, getProcessRegistry()])
  return {
    countRequest({ operation, status, seconds }) {
      requests.inc({ operation, status: `${Math.floor(status / 100)}xx` })
      durations.observe({ operation }, seconds)
    },
    countDroppedConnection: (reason) => dropped.inc({ reason }),
    contentType: registry.contentType,
    render: () => all.metrics(),
  }
}

/** What the webhook worker of this process has sent, and how far behind all workers are. */
function readWebhooks(registry: Registry, now: () => WebhookMetrics): void {
  const ofBacklog = (valuesOf: (backlog: WebhookBacklog) => Record<string, number>) => () => {
    const { backlog } = now()
    return byLabel('state', backlog === undefined ? undefined : valuesOf(backlog))
  }
  read(registry, Counter, {
    housebill_webhook_attempts_total: [
      'Webhook delivery attempts that ended, by outcome.',
      () => byLabel('outcome', now().attempts),
    ],
    housebill_webhook_attempt_seconds_total: [
      'Total duration of webhook delivery attempts.',
      () => one(now().attemptSeconds),
    ],
  })
  read(registry, Gauge, {
    housebill_webhook_deliveries_in_hand: [
      'Webhook deliveries that this process is sending.',
      () => one(now().inFlight),
    ],
    housebill_webhook_oldest_wait_seconds: [
      'How long the oldest undispatched event and the oldest unsent delivery have been waiting, across all processes.',
      ofBacklog(({ undispatchedSeconds, overdueSeconds }) => ({
        undispatched: undispatchedSeconds,
        due: overdueSeconds,
      })),
    ],
    housebill_webhook_waiting: [
      'Events that are not dispatched yet, and deliveries that have not ended, across all processes; up to 10,000 each.',
      ofBacklog(({ undispatched, queued }) => ({ undispatched, queued })),
    ],
    housebill_webhooks: [
      'Webhooks of all partners, by state.',
      ofBacklog(({ active, failing, disabled }) => ({ active, failing, disabled })),
    ],
  })
}

/** One value of a metric, with its labels. */
type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>]

type Metric = readonly [help: string, read: () => readonly Sample[] | Promise<readonly Sample[]>]

/** How long the page waits for a source, such as a database that does not respond: less than Prometheus does. */
const readWithinMs = 2_000

/**
 * Registers metrics, by name, that are read when the page is requested. A metric without samples is left out, as is one
 * whose source takes too long; no other read of it begins until the first ends.
 */
function read(
  registry: Registry,
  Kind: typeof Counter | typeof Gauge,
  metrics: Readonly<Record<string, Metric>>,
): void {
  for (const [name, [help, samples]] of Object.entries(metrics)) {
    let reading: Promise<readonly Sample[]> | undefined
    new Kind({
      name,
      help,
      // Each metric has some of them. Without any, a reset would leave a zero behind.
      labelNames: ['upstream', 'kind', 'state', 'outcome', 'due', 'scheduled_job'],
      registers: [registry],
      async collect() {
        reading ??= Promise.resolve(samples()).finally(() => {
          reading = undefined
        })
        const current = await inTime(reading)
        this.reset()
        for (const [value, labels = {}] of current) this.inc(labels, value)
      },
    })
  }
}

/** What is read; nothing if that takes too long. */
async function inTime(reading: Promise<readonly Sample[]>): Promise<readonly Sample[]> {
  const { promise, resolve } = Promise.withResolvers<readonly Sample[]>()
  const timer = setTimeout(resolve, readWithinMs, [])
  return Promise.race([reading, promise]).finally(() => clearTimeout(timer))
}

function one(value: number | undefined): Sample[] {
  return value === undefined ? [] : [[value]]
}

function byLabel(label: string, values: Readonly<Record<string, number>> | undefined): Sample[] {
  return Object.entries(values ?? {}).map(([of, value]) => [value, { [label]: of }])
}

/** From the time of a nearby cached response to the longest that a partner waits: 10 seconds, for a broadband check. */
const bucketsInSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type CallDurations = Histogram<'upstream'>

/** The durations of all calls to upstreams, which the metrics of one service show. */
export function createCallDurations(): CallDurations {
  return new Histogram({
    name: 'housebill_upstream_call_duration_seconds',
    help: 'Duration of calls to an external system, including waiting and retries.',
    labelNames: ['upstream'],
    buckets: bucketsInSeconds,
    registers: [],
  })
}

let processRegistry: Registry | undefined

/**
 * Returns the registry of the metrics of this process: memory, CPU, garbage collection and event loop, under the
 * library's names. The whole process has one registry, because the library's observers cannot be removed: with one
 * registry per service, they would pile up.
 */
function getProcessRegistry(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry()
    // The default of 10 ms wakes an idle process 100 times a second.
    collectDefaultMetrics({ register: processRegistry, eventLoopMonitoringPrecision: 100 })
  }
  return processRegistry
}
