import type { Logger } from 'pino'
import { type Database, inQueueTransaction, type Tx } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { disabledReasons, hasFailedTooLong, streakAfterFailure } from '../endpoints/endpoint-health.ts'
import { lockWebhookHealth, updateWebhookHealth, type WebhookHealth } from '../endpoints/webhooks.store.ts'
import { queueDisabledWebhookMail } from '../partner-mails/partner-mails.store.ts'
import type { Attempt } from './delivery.ts'
import { type AttemptWithRetry, type EndedAttempt, type LeasedDelivery, storeAttempts } from './queue.store.ts'
import { verificationType } from './response-outcome.ts'
import type { DeliverySender } from './send-deliveries.ts'

interface DisabledWebhook {
  webhookId: Id<'webhook'>
  partnerId: Id<'partner'>
  reason: string
}

export interface RecordingResult {
  disabled: DisabledWebhook[]
  /** For each delivery that will be retried, the time until the retry in milliseconds. */
  retriesInMs: number[]
}

const batch = 500

/**
 * Records up to 500 ended attempts together, frees their slots, and returns which webhooks were disabled and when
 * retries are due. While the database is unavailable, throws and keeps the attempts. If PostgreSQL rejects an attempt,
 * records each one separately and drops the rejected one, whose delivery is due again when its lease expires.
 */
export async function recordEndedAttempts({
  db,
  log,
  deliverySender,
  retrySeconds,
}: {
  db: Database
  log: Logger
  deliverySender: Pick<DeliverySender, 'ended' | 'release'>
  retrySeconds: readonly number[]
}): Promise<RecordingResult> {
  const ended = deliverySender.ended.slice(0, batch)
  const record = (attempts: typeof ended) => recordTogether({ db, retrySeconds, random: Math.random }, attempts)
  const result: RecordingResult = { disabled: [], retriesInMs: [] }
  const add = ({ disabled, retriesInMs }: RecordingResult) => {
    result.disabled.push(...disabled)
    result.retriesInMs.push(...retriesInMs)
  }
  try {
    if (ended.length > 0) add(await record(ended))
    deliverySender.release(ended.length)
  } catch (error) {
    if (error instanceof DomainError) throw error
    for (const one of ended) {
      try {
        add(await record([one]))
      } catch (rejection) {
        if (rejection instanceof DomainError) throw rejection
        const { deliveryId } = one.delivery
        log.error(
          { err: rejection, deliveryId },
          'attempt could not be recorded; it will be repeated when its lease expires',
        )
      }
      deliverySender.release(1)
    }
  }
  for (const webhook of result.disabled) log.warn(webhook, 'a webhook was disabled')
  return result
}

/**
 * Records ended attempts and their consequences in one transaction. Each delivery either ends or is scheduled for a
 * retry. A webhook may become verified or failing, or be disabled after a 410 or five days of failures. Attempts whose
 * delivery another worker has leased in the meantime are ignored.
 * @internal Tested alone.
 */
export async function recordTogether(
  { db, retrySeconds, random }: { db: Database; retrySeconds: readonly number[]; random: () => number },
  ended: readonly EndedAttempt[],
): Promise<RecordingResult> {
  const attempts = ended.map(({ delivery, attempt }) => ({
    delivery,
    attempt,
    retryInMs: retryIn(delivery, attempt, retrySeconds, random()),
  }))
  return inQueueTransaction(db, async (tx) => {
    const relevant = attempts.filter(canChangeWebhook)
    const webhookIds = [...new Set(relevant.map(({ delivery }) => delivery.webhookId))]
    // Lock the webhooks before the deliveries, in the same order as all other code that changes a webhook, to avoid
    // deadlocks.
    const locked = webhookIds.length === 0 ? [] : await lockWebhookHealth(tx, webhookIds)
    const recorded = new Set(await storeAttempts(tx, attempts))
    const counted = relevant.filter(({ delivery }) => recorded.has(delivery.deliveryId))
    const retriesInMs = attempts.flatMap(({ retryInMs }) => (retryInMs === null ? [] : [retryInMs]))
    return { disabled: await updateWebhooks(tx, locked, counted), retriesInMs }
  })
}

/**
 * A test message to a receiver that has not proved that it wants our messages is not retried, because it could be
 * anybody's server.
 */
function retryIn(
  { roundAttempts, type, isEvent, isVerified }: LeasedDelivery,
  { outcome, retryAfterSeconds }: Attempt,
  retrySeconds: readonly number[],
  random: number,
): number | null {
  if (outcome === 'accepted' || outcome === 'gone') return null
  if (!isEvent && type !== verificationType && !isVerified) return null
  return retryDelayMs(retrySeconds, roundAttempts + 1, random, retryAfterSeconds) ?? null
}

/**
 * Whether the attempt can change the webhook; if not, the webhook's row is not written. Usually the receiver of a
 * healthy webhook has accepted an event, which changes nothing.
 */
function canChangeWebhook({ delivery, attempt }: AttemptWithRetry): boolean {
  return attempt.outcome !== 'accepted' || delivery.isFailing || delivery.type === verificationType
}

async function updateWebhooks(
  tx: Tx,
  locked: Awaited<ReturnType<typeof lockWebhookHealth>>,
  attempts: readonly AttemptWithRetry[],
): Promise<DisabledWebhook[]> {
  const disabled: DisabledWebhook[] = []
  for (const { health: before, now } of locked) {
    // An attempt made before the URL was changed or the webhook was enabled says nothing about the webhook as it is
    // now.
    const own = attempts.filter(
      ({ delivery }) => delivery.webhookId === before.webhookId && delivery.webhookRevision === before.revision,
    )
    if (own.length === 0) continue
    const after = own.reduce((health, one) => afterAttempt(health, one, now), before)
    await updateWebhookHealth(tx, after)
    if (after.status === 'disabled' && before.status === 'active' && after.disabledReason !== null) {
      await queueDisabledWebhookMail(tx, after)
      disabled.push({ webhookId: after.webhookId, partnerId: after.partnerId, reason: after.disabledReason })
    }
  }
  return disabled
}

function afterAttempt(
  health: WebhookHealth,
  { delivery, attempt, retryInMs }: AttemptWithRetry,
  now: Date,
): WebhookHealth {
  const isVerification = delivery.type === verificationType
  const wasLast = retryInMs === null
  switch (attempt.outcome) {
    case 'accepted':
      return {
        ...health,
        failingSince: null,
        lastFailedAt: null,
        verification: isVerification ? 'verified' : health.verification,
      }
    case 'unverified':
      return {
        ...health,
        failingSince: null,
        lastFailedAt: null,
        verification: wasLast ? afterLastChallenge(health) : health.verification,
      }
    case 'gone':
      return disable({ ...health, ...streakAfterFailure(health, now) }, disabledReasons.gone)
    case 'failed': {
      const streak = streakAfterFailure(health, now)
      const verification = isVerification && wasLast ? afterLastChallenge(health) : health.verification
      const failing = { ...health, ...streak, verification }
      return hasFailedTooLong(streak) ? disable(failing, disabledReasons.failing) : failing
    }
  }
}

/** A challenge that was not echoed does not undo an earlier verification. */
function afterLastChallenge(health: WebhookHealth): WebhookHealth['verification'] {
  return health.verification === 'pending' ? 'failed' : health.verification
}

/**
 * Disables a webhook; one that is already disabled stays unchanged. The worker then gives up its pending
 * deliveries, including its challenge.
 */
function disable(health: WebhookHealth, disabledReason: string): WebhookHealth {
  if (health.status === 'disabled') return health
  return { ...health, status: 'disabled', disabledReason, verification: afterLastChallenge(health) }
}

const jitter = 0.2

/**
 * Milliseconds to wait after the failed attempt with this number (1 for the first); undefined if all attempts are used
 * up. There is one more attempt than the schedule has steps. Each step varies by ±20 %, so that deliveries that failed
 * together are not retried together. `retryAfterSeconds`, requested by the receiver, can at most double a step and
 * never shortens it. `random` is in [0, 1).
 * @internal Tested alone.
 */
export function retryDelayMs(
  schedule: readonly number[],
  attemptNumber: number,
  random: number,
  retryAfterSeconds?: number,
): number | undefined {
  const step = schedule[attemptNumber - 1]
  if (step === undefined) return undefined
  const spread = step * (1 - jitter + 2 * jitter * random)
  const requested = Math.min(retryAfterSeconds ?? 0, 2 * step)
  return Math.round(Math.max(spread, requested) * 1000)
}
