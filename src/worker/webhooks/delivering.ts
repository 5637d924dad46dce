import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { AttemptOutcome } from '../../domain/webhooks/delivery/attempt.ts'
import { deliver } from '../../domain/webhooks/delivery/deliver.ts'
import { leaseDeliveries, returnDeliveries } from '../../domain/webhooks/delivery/lease-deliveries.ts'
import type { LeasedDelivery } from '../../domain/webhooks/delivery/leases.store.ts'
import type { WebhookMeasures } from '../../domain/webhooks/delivery/measures.ts'
import { type OwnRoom, type Room, roomFor, type SlotPolicy } from '../../domain/webhooks/delivery/slots.ts'
import type { WebhookSender } from '../../domain/webhooks/egress/webhook-sender.ts'
import { OpenedSecrets } from '../../domain/webhooks/secrets/opened-secrets.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { InFlight } from './in-flight.ts'
import { Lanes } from './lanes.ts'
import { startLoop } from './loop.ts'
import { MayHaveMore } from './may-have-more.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { startRecording } from './recording.ts'
import { Standing } from './standing.ts'

export interface DeliveringOptions {
  db: Database
  cipher: FieldCipher
  sender: WebhookSender
  clock: Clock
  log: Logger
  policy: SlotPolicy & Pick<OwnRoom, 'leaseSeconds' | 'requireVerification'>
  retrySeconds: readonly number[]
  longestPauseMs: number
  /** Called when a webhook was disabled by the outcome of an attempt. */
  onDisabled(): void
  /** Called when a lane is about to run dry. */
  onRoom(): void
}

export interface Delivering {
  /** Something may be due that nobody has in hand. */
  wake(): void
  /** Something is due for these webhooks; where the hands for each of them are full, it is leased when they are free again. */
  dueFor(webhookIds: readonly string[]): void
  /**
   * The webhook was disabled, moved or deleted; without an id, any of them may have been. What lies ready for it is given back, and not
   * sent as it was when it was leased.
   */
  webhookChanged(webhookId?: string): void
  /** Sends what `work` leases, in the room it is told of; nothing else is taken up beside it. Returns what it returns. */
  takeUp<Result extends { leased: readonly LeasedDelivery[] }>(work: (own: OwnRoom) => Promise<Result>): Promise<Result>
  /** Of this process, since it started. */
  measures(): Omit<WebhookMeasures, 'backlog'>
  /** Nothing may be taken up any more. */
  stop(graceMs: number): Promise<void>
}

/** Of a lease, the share within which its attempt has to begin, so that it can take its whole time and be recorded. */
const beginWithin = 0.15
/**
 * What ended in so short a time shares a lease's transaction with what ended before. Planning one costs as much as leasing dozens:
 * while many are leased each time there is more to gain from longer pauses, and what lies ready bridges them.
 */
const rest = { ms: 10, busyMs: 25, busyFrom: 48 }
const noRoom: Room = {
  slots: 0,
  failingSlots: 0,
  perWebhook: 0,
  perFailingWebhook: 0,
  readySlots: 0,
  readyForQuick: 0,
}

/**
 * The deliver step: leases what is due while there are free slots, sends it, and hands each attempt to the recorder. A slot is
 * free again when its attempt has ended; recording follows, and leasing waits for it where it falls behind.
 */
export function startDelivering(options: DeliveringOptions): Delivering {
  const { db, policy, log, longestPauseMs } = options
  const inFlight = new InFlight(policy.perWebhook)
  const secrets = new OpenedSecrets(options.cipher)
  const abandoned = new AbortController()
  const standing = new Standing()
  const attempts: Record<AttemptOutcome, number> = { accepted: 0, unverified: 0, failed: 0, gone: 0 }
  let attemptMs = 0
  let notBegun: LeasedDelivery[] = []
  let leasedLast = 0
  const mayHaveMore = new MayHaveMore(policy)
  let waitsForRecording = false

  const recording = startRecording({
    ...options,
    onRecorded: (ended, released) => {
      for (const each of ended) standing.recorded(each)
      const caughtUp = waitsForRecording && !isBehind()
      if (released > 0 || caughtUp) leasing.wake()
      if (!caughtUp) return
      waitsForRecording = false
      options.onRoom()
    },
    onRetryDue: (webhookId) => dueFor([webhookId]),
  })
  /** Recording falls behind: what is sent now would wait for it. */
  const isBehind = () => recording.waiting > 2 * policy.slots
  const lanes = new Lanes({
    width: policy.perWebhook,
    short: Math.max(policy.perWebhook, policy.readyForQuick / 2),
    mostWaitMs: beginWithin * policy.leaseSeconds * 1_000,
    send: attempt,
    onLeft: (delivery, end) => {
      inFlight.remove(delivery)
      if (end === 'not begun') {
        notBegun.push(delivery)
        leasing.wake()
      }
      if (!lanes.isShort(delivery.webhookId)) return
      if (mayHaveMore.has(delivery)) leasing.wake()
      options.onRoom()
    },
    onStuck: (webhookId) => inFlight.markSlow(webhookId),
  })
  const oneAtATime = new OneAtATime()

  const leasing = startLoop({
    run: async () => {
      await returnNotBegun()
      const { leased, room } = await takeUp(async (own) => {
        const leased = await leaseDeliveries({ db }, own)
        mayHaveMore.learn(leased, own)
        return { leased, room: own.room }
      })
      leasedLast = leased.length
      // Fewer than could be given out: what else is due has to wait until a lane runs short, and that wakes us.
      return room.slots > 0 && leased.length >= room.slots ? 'more' : 'idle'
    },
    onError: (error) => log.warn({ err: error }, 'due deliveries could not be leased; retrying'),
    longestPauseMs,
    restMs: () => (leasedLast < rest.busyFrom ? rest.ms : rest.busyMs),
  })

  function roomNow(): Room {
    waitsForRecording = isBehind()
    return waitsForRecording ? noRoom : roomFor(policy, inFlight)
  }

  function dueFor(webhookIds: readonly string[]): void {
    if (webhookIds.length === 0) return
    const own = { room: roomNow(), sending: inFlight }
    // Each is asked: it has to be remembered of every one for which there is no room.
    if (webhookIds.filter((webhookId) => mayHaveMore.isWorthLooking(webhookId, own)).length > 0) leasing.wake()
  }

  function giveBack(webhookId?: string): void {
    const returned = lanes.empty(webhookId)
    for (const delivery of returned) inFlight.remove(delivery)
    notBegun.push(...returned)
    if (returned.length > 0) leasing.wake()
  }

  function takeUp<Result extends { leased: readonly LeasedDelivery[] }>(
    work: (own: OwnRoom) => Promise<Result>,
  ): Promise<Result> {
    return oneAtATime.run(async () => {
      const { leaseSeconds, requireVerification } = policy
      const room = roomNow()
      standing.beginTaking()
      const result = await work({ room, sending: inFlight, leaseSeconds, requireVerification })
      for (const delivery of result.leased) {
        if (!standing.mayBegin(delivery)) {
          notBegun.push(delivery)
          leasing.wake()
          continue
        }
        inFlight.add(delivery)
        lanes.add(delivery)
      }
      return result
    })
  }

  async function attempt(delivery: LeasedDelivery): Promise<void> {
    try {
      const attempt = await deliver({ ...options, secrets }, delivery, abandoned.signal)
      attempts[attempt.outcome] += 1
      attemptMs += attempt.durationMs
      inFlight.learn(delivery.webhookId, attempt)
      if (standing.ended({ delivery, attempt }) === 'gone') giveBack(delivery.webhookId)
      recording.add({ delivery, attempt })
    } catch (error) {
      if (abandoned.signal.aborted) return
      const { deliveryId, webhookId } = delivery
      log.error(
        { err: error, deliveryId, webhookId },
        'a delivery could not be attempted; it is due again when its lease ends',
      )
    }
  }

  async function returnNotBegun(): Promise<void> {
    const returned = notBegun
    notBegun = []
    await returnDeliveries({ db }, returned)
  }

  return {
    wake: () => leasing.wake(),
    dueFor,
    webhookChanged(webhookId) {
      standing.changed(webhookId)
      inFlight.forgetFailing(webhookId)
      giveBack(webhookId)
      leasing.wake()
    },
    takeUp,
    measures: () => ({
      attempts: { ...attempts },
      attemptSeconds: attemptMs / 1_000,
      sending: inFlight.total,
      ready: inFlight.ready,
    }),
    async stop(graceMs) {
      await leasing.stop()
      notBegun.push(...lanes.empty())
      const timer = setTimeout(() => abandoned.abort(), graceMs)
      await lanes.ended()
      clearTimeout(timer)
      await recording.stop()
      await returnNotBegun().catch((error: unknown) =>
        log.warn({ err: error }, 'deliveries could not be given back; they are due again when their leases end'),
      )
    },
  }
}
