import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { measureBacklog } from '../../domain/webhooks/delivery/measure-backlog.ts'
import type { WebhookBacklog, WebhookMeasures } from '../../domain/webhooks/delivery/measures.ts'
import { settleDisabled } from '../../domain/webhooks/delivery/settle-disabled.ts'
import type { WebhookSender } from '../../domain/webhooks/egress/webhook-sender.ts'
import { advanceReplay } from '../../domain/webhooks/replay/advance-replay.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { startDelivering } from './delivering.ts'
import { startDispatching } from './dispatching.ts'
import { startLoop } from './loop.ts'
import { listenForWakeUps } from './wake-up.ts'

/*
 * How an event reaches a partner, in two steps that know nothing of each other but the database.
 *
 * DISPATCH turns events into deliveries. A verb writes its event into the outbox (`events`) in the transaction of the
 * change; here the oldest undispatched events of every partner become one delivery for every webhook that was registered
 * before them, hundreds in one transaction, a partner's flood no more of them than its share. Only one worker dispatches at
 * a time, in the order of the events' numbers, which is the order of truth within a quote. A delivery whose quote has an
 * earlier one still to be tried at the same webhook is queued without a due time: its turn comes later.
 *
 * DELIVER leases what is due, sends it, and records how it went. A lease is a time until which nobody else takes the delivery: if
 * this process dies, what it was sending is free again by itself, for any worker. What is leased goes into its webhook's lane, where
 * so many are sent at once; only a receiver that answers at once gets more leased than that. Room is dealt out fairly
 * (`slots.ts`), one slot for every webhook before a second for any, a few at most for each, and fewer for those that failed
 * last time, who together never get more than half; so a receiver that hangs, fails or drips holds up nobody else. Recording
 * moves the delivery on (done, due again by the retry schedule, or failed), and where it was a first attempt, whatever its
 * outcome, gives the quote's next delivery its due time. Retries of the earlier one then go beside it.
 *
 * What lies ready in a lane goes back when its webhook is disabled, moved or deleted, of which a notification tells, or has answered 410.
 *
 * A worker that dispatches leases what it has room for in the same transaction (`taking-up.ts`), so that most deliveries are
 * written once before they are sent and once after. Only what it has no room for is queued, and leased later, by any worker.
 *
 * A third, small step fails what still waits for webhooks that were disabled. What deleted ones leave is removed by the
 * schedule (`purging.ts`).
 *
 * A fourth one works off replays: a batch of a webhook's old events at a time, what failed or was missed is put back into
 * the order of its quotes, and no more while a thousand wait already. From there on it is delivered like anything else.
 *
 * What makes it safe: every step is one transaction, so a crash between any two leaves a state from which another
 * worker goes on; a message is sent again rather than lost, always under the same id. Where dispatching queues a delivery behind
 * another, it and recording exclude each other (see `outbox.store.ts`), so that none is queued behind one that has just ended.
 *
 * What makes it quick: inserts into both tables notify (see the migration), which wakes the step that has something to do, in every
 * worker; it looks again soon after, then ever less often, and at least once a second. Nothing is lost where no notification arrives.
 * A look costs, and for a dead receiver each would find what there is no room for: a worker whose hands for a webhook are full does
 * not look when something more is due for it, but when one of its attempts ends (`may-have-more.ts`).
 */

/** How the worker goes about it; every value has a default that fits production. */
export interface WorkerLimits {
  /** Deliveries being sent by this process at once. */
  slots: number
  perWebhook: number
  /** Leased beside those, and not yet sent, for a webhook whose receiver answers at once; for all of them together. */
  readyForQuick: number
  readySlots: number
  perFailingWebhook: number
  /** Longer than an attempt and its recording can take, and short enough to try again within 30 s of a crash. */
  leaseSeconds: number
  /** Events dispatched in one transaction. */
  dispatchBatch: number
  /** The poll that needs no notification. */
  longestPauseMs: number
  /** How often it is looked how much waits, for `measures`. */
  backlogReadMs: number
}

export const defaultLimits: WorkerLimits = {
  slots: 1_024,
  perWebhook: 16,
  readyForQuick: 2_000,
  readySlots: 8_192,
  perFailingWebhook: 4,
  leaseSeconds: 20,
  dispatchBatch: 1_000,
  longestPauseMs: 1_000,
  backlogReadMs: 10_000,
}

export interface WebhookWorkerOptions {
  db: Database
  /** For the connection that listens for notifications. */
  connectionString: string
  cipher: FieldCipher
  sender: WebhookSender
  clock: Clock
  log: Logger
  settings: { retrySeconds: readonly number[]; requireVerification: boolean }
  limits?: Partial<WorkerLimits>
}

export interface WebhookWorker {
  measures(): WebhookMeasures
  /**
   * Takes up nothing new, lets what is being sent finish for at most `graceMs`, abandons the rest to the end of its
   * lease, and resolves when the worker uses neither database nor sender any more.
   */
  stop(graceMs?: number): Promise<void>
}

const settleBatch = 1_000
/** Of a replay: small enough to hold up dispatch for some tens of milliseconds, and to leave live events their turn. */
const replayPace = { batch: 200, mostWaiting: 1_000 }

/** Starts the worker in this process; any number may run on one database. */
export function startWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { db, connectionString, log, settings } = options
  const limits = { ...defaultLimits, ...options.limits }
  const { longestPauseMs } = limits

  const settling = startLoop({
    run: async () => ((await settleDisabled({ db }, settleBatch)) > 0 ? 'more' : 'idle'),
    onError: (error) => log.warn({ err: error }, 'deliveries of disabled webhooks could not be settled; retrying'),
    longestPauseMs: 5 * longestPauseMs,
  })
  const delivering = startDelivering({
    ...options,
    policy: { ...limits, requireVerification: settings.requireVerification },
    retrySeconds: settings.retrySeconds,
    longestPauseMs,
    onDisabled: () => settling.wake(),
    onRoom: () => dispatching.hasRoom(),
  })
  const dispatching = startDispatching({
    db,
    log,
    delivering,
    longestPauseMs,
    dispatchBatch: limits.dispatchBatch,
  })
  const replaying = startLoop({
    run: async () => {
      const advanced = await advanceReplay({ db }, replayPace)
      if (advanced) delivering.wake()
      return advanced ? 'more' : 'idle'
    },
    onError: (error) => log.warn({ err: error }, 'a replay could not be advanced; retrying'),
    longestPauseMs,
  })
  let backlog: WebhookBacklog | undefined
  const measuring = startLoop({
    run: async () => {
      backlog = await measureBacklog({ db }, settings)
      return 'idle'
    },
    onError: (error) => {
      backlog = undefined
      log.warn({ err: error }, 'how much waits for webhooks could not be read; retrying')
    },
    shortestPauseMs: limits.backlogReadMs,
    longestPauseMs: limits.backlogReadMs,
  })
  const wakeUp = listenForWakeUps({
    connectionString,
    channel: 'housebill_webhooks',
    onWake: (what) => {
      const steps = { events: dispatching, deliveries: delivering, replays: replaying }
      const [subject, webhookIds] = what?.split(' ') ?? []
      if (subject === 'deliveries' && webhookIds !== undefined) delivering.dueFor(webhookIds.split(','))
      else if (subject === 'events' || subject === 'deliveries' || subject === 'replays') steps[subject].wake()
      else if (subject === 'webhook') delivering.webhookChanged(webhookIds)
      else {
        delivering.webhookChanged()
        for (const step of Object.values(steps)) step.wake()
      }
    },
    log,
  })

  return {
    measures: () => ({ ...delivering.measures(), backlog }),
    async stop(graceMs = 10_000) {
      // What dispatching has taken up is in the hands of delivering, which therefore stops after it.
      const delivered = dispatching.stop().then(() => delivering.stop(graceMs))
      await Promise.all([wakeUp.close(), measuring.stop(), replaying.stop(), settling.stop(), delivered])
    },
  }
}
