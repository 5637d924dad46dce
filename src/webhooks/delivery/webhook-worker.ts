import type { Logger } from 'pino'
import { type Database, inQueueTransaction, inTransaction } from '../../platform/db/database.ts'
import { listenForWakeUps } from '../../platform/db/wake-up.ts'
import { startLoop } from '../../platform/jobs/loop.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { advanceReplay } from '../replay/advance-replay.ts'
import type { WebhookSender } from '../sender/webhook-sender.ts'
import { startBacklogMeter } from './backlog-meter.ts'
import { dispatchEvents } from './dispatch.store.ts'
import { giveUpDeliveriesOfDisabledWebhooks } from './give-up.store.ts'
import { leaseDueDeliveries } from './queue.store.ts'
import { recordEndedAttempts } from './record-attempts.ts'
import { attemptTimeoutMs } from './response-outcome.ts'
import { DeliverySender, type WebhookMetrics } from './send-deliveries.ts'

/*
 * How an event reaches a partner, step by step: contributing/decisions/0007-webhook-lease-loop.md. Every step is one
 * transaction and can be repeated, so a crash loses nothing: a message may be sent twice, always with the same id.
 */

/** The limits of a worker. The defaults are meant for production. */
export interface WorkerLimits {
  /**
   * The maximum numbers of concurrent deliveries of this process: in total, to one webhook (at most an eighth of the
   * total), and to one failing webhook.
   */
  slots: number
  perWebhook: number
  perFailingWebhook: number
  /**
   * The duration of a lease: longer than an attempt and its recording take, and short enough that deliveries are
   * retried within 30 s of a crash.
   */
  leaseSeconds: number
  /** The number of events dispatched in one transaction. */
  dispatchBatch: number
  /** The longest pause between two checks in normal operation. */
  longestPauseMs: number
  /** The longest pause between two checks while notifications do not get through. */
  longestPauseUnnotifiedMs: number
  /** How often the backlog is read for `metrics`. */
  backlogReadMs: number
}

const defaultLimits: WorkerLimits = {
  slots: 1_024,
  perWebhook: 16,
  perFailingWebhook: 4,
  leaseSeconds: attemptTimeoutMs / 1_000 + 5,
  dispatchBatch: 1_000,
  longestPauseMs: 5_000,
  longestPauseUnnotifiedMs: 1_000,
  backlogReadMs: 10_000,
}

interface WebhookWorkerOptions {
  db: Database
  /** The connection string for the connection that listens for notifications. */
  connectionString: string
  cipher: FieldCipher
  /** Tells the operator's webhooks of new versions of contracts. Returns whether there may be more. */
  announceVersions(deps: { db: Database }): Promise<boolean>
  sender: WebhookSender
  clock: Clock
  log: Logger
  settings: { retrySeconds: readonly number[]; requireVerification: boolean }
  limits?: Partial<WorkerLimits>
}

export interface WebhookWorker {
  metrics(): WebhookMetrics
  /**
   * Stops leasing deliveries and waits at most `graceMs` for attempts in progress. Abandons the rest, which can be sent
   * again once their leases expire. Resolves when the worker no longer uses the database or the sender.
   */
  stop(graceMs?: number): Promise<void>
}

const giveUpBatch = 1_000
/**
 * How many events a replay processes at once, and how many of its deliveries may be pending: few enough not to delay
 * live events.
 */
const replayPace = { batch: 200, maxWaiting: 1_000 }
/** Retries that are due later than this are found by polling, because a timer for each would only cost memory. */
const timedRetryMs = 60_000
const timerStepMs = 50
/**
 * Dispatching a few events costs PostgreSQL almost as much as a hundred, so those that come this soon after others
 * wait: longer while no webhook subscribes to them. A look that finds none is followed by the pauses of the loop instead.
 */
const dispatchRestMs = { none: 0, delivered: 25, unsubscribed: 100 }
const failureMessages = {
  attempts: 'attempts could not be recorded; retrying',
  events: 'events could not be dispatched; retrying',
  versions: 'versions of contracts could not be announced; retrying',
  deliveries: 'due deliveries could not be leased; retrying',
  disabled: 'deliveries of disabled webhooks could not be marked as failed; retrying',
  replays: 'replay could not be advanced; retrying',
}
type Work = keyof typeof failureMessages

/** Starts the worker in this process; any number may run on one database. */
export function startWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { db, connectionString, log, settings, announceVersions } = options
  const limits = { ...defaultLimits, ...options.limits }
  const timers = new Map<number, NodeJS.Timeout>()
  let restUntil = 0
  const deliverySender = new DeliverySender({
    ...options,
    limits: {
      ...limits,
      perWebhook: Math.min(limits.perWebhook, Math.ceil(limits.slots / 8)),
      failingSlots: Math.floor(limits.slots / 2),
      requireVerification: settings.requireVerification,
    },
    onEnded: () => loop.wake(['attempts']),
  })

  async function record(): Promise<Work[]> {
    const { disabled, retriesInMs } = await recordEndedAttempts({
      db,
      log,
      deliverySender,
      retrySeconds: settings.retrySeconds,
    })
    for (const inMs of retriesInMs) wakeIn(inMs)
    return [
      'deliveries',
      ...(disabled.length > 0 ? ['disabled' as const] : []),
      ...(deliverySender.ended.length > 0 ? ['attempts' as const] : []),
    ]
  }

  /** Sets one timer for everything that is due within the same 50 ms. */
  function wakeIn(ms: number): void {
    if (ms > timedRetryMs) return
    const step = Math.ceil((performance.now() + ms) / timerStepMs)
    if (timers.has(step)) return
    const fire = () => {
      timers.delete(step)
      loop.wake(['deliveries'])
    }
    timers.set(step, setTimeout(fire, step * timerStepMs - performance.now()))
  }

  const loop = startLoop<Work>({
    steps: {
      attempts: record,
      async events() {
        const now = performance.now()
        if (now < restUntil) return ['events']
        const { events, deliveries, hasMore } = await inTransaction(db, {}, (tx) =>
          dispatchEvents(tx, limits.dispatchBatch),
        )
        const found = events === 0 ? 'none' : deliveries > 0 ? 'delivered' : 'unsubscribed'
        restUntil = hasMore ? now : now + dispatchRestMs[found]
        return [...(deliveries > 0 ? ['deliveries' as const] : []), ...(hasMore ? ['events' as const] : [])]
      },
      versions: async () => ((await announceVersions({ db })) ? ['versions'] : []),
      async deliveries() {
        const { remainingLimits, occupiedSlots } = deliverySender
        if (remainingLimits.slots > 0)
          deliverySender.begin(
            await inQueueTransaction(db, (tx) => leaseDueDeliveries(tx, remainingLimits, occupiedSlots)),
          )
        return []
      },
      async disabled() {
        const givenUp = await inQueueTransaction(db, (tx) => giveUpDeliveriesOfDisabledWebhooks(tx, giveUpBatch))
        return givenUp > 0 ? ['disabled'] : []
      },
      replays: async () => ((await advanceReplay({ db }, replayPace)) ? ['deliveries', 'replays'] : []),
    },
    onError: (work, error) => log.warn({ err: error }, failureMessages[work]),
    longestPauseMs: () => (wakeUp.receivesNotifications ? limits.longestPauseMs : limits.longestPauseUnnotifiedMs),
    restMs: 10,
  })
  const backlogMeter = startBacklogMeter({ ...options, ...settings, everyMs: limits.backlogReadMs })

  const isWork = (kind: string): kind is Work => kind in failureMessages
  const everything = Object.keys(failureMessages).filter(isWork)
  const wakeUp = listenForWakeUps({
    db,
    connectionString,
    channel: 'housebill_webhooks',
    onWake: (kinds) => loop.wake(kinds?.filter(isWork) ?? everything),
    log,
  })
  const unsubscribe = db.commits.subscribe((left) => {
    loop.wake([...left].filter(isWork))
    wakeUp.announce(left)
  })

  return {
    metrics: () => ({ ...deliverySender.metrics(), backlog: backlogMeter.backlog }),
    async stop(graceMs = 10_000) {
      unsubscribe()
      await Promise.all([wakeUp.close(), backlogMeter.stop(), loop.stop()])
      for (const timer of timers.values()) clearTimeout(timer)
      await deliverySender.finish(graceMs)
      try {
        while (deliverySender.ended.length > 0)
          await recordEndedAttempts({ db, log, deliverySender, retrySeconds: settings.retrySeconds })
      } catch (error) {
        const message = 'attempts could not be recorded before stopping; their deliveries will be sent again'
        log.warn({ err: error, attempts: deliverySender.ended.length }, message)
      }
    },
  }
}
