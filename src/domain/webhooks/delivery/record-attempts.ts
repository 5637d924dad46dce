import { type Database, inQueueTransaction, type Tx } from '../../../db/database.ts'
import { afterFailure, disabledReasons, hasFailedTooLong } from '../endpoints/endpoint-health.ts'
import { lockHealth, updateHealth, type WebhookHealth } from '../endpoints/webhooks.store.ts'
import { verificationType } from '../messages/message.ts'
import type { Attempt } from './attempt.ts'
import { insertAttempts, releaseNext } from './deliveries.store.ts'
import type { LeasedDelivery } from './leases.store.ts'
import { holdBackDispatch } from './outbox.store.ts'
import { retryDelayMs } from './retry-schedule.ts'

/** An attempt that has ended, with the delivery it was made for. */
export interface EndedAttempt {
  delivery: LeasedDelivery
  attempt: Attempt
}

export interface DisabledWebhook {
  webhookId: string
  partnerId: string
  reason: string
}

export interface Recorded {
  disabled: DisabledWebhook[]
  /** When what failed is due again, from now, and for whom. */
  retries: { webhookId: string; inMs: number }[]
  /** How many deliveries are due now that had waited behind these. */
  released: number
}

/** So many at most are written down with plans that are kept. */
const fewAttempts = 48

/**
 * Writes ended attempts down and draws the consequences: the delivery is done, due again by the schedule or failed; the
 * next event of its quote may go; the webhook is verified, or disabled after 410 or five days of nothing but failures.
 * Attempts whose lease was lost meanwhile are left out: another worker's count.
 */
export async function recordAttempts(
  { db, retrySeconds, random }: { db: Database; retrySeconds: readonly number[]; random: () => number },
  ended: readonly EndedAttempt[],
): Promise<Recorded> {
  const finished = ended.map(({ delivery, attempt }) => ({
    deliveryId: delivery.deliveryId,
    webhookId: delivery.webhookId,
    leaseId: delivery.leaseId,
    attempt,
    retryInMs: retryIn(delivery, attempt, retrySeconds, random()),
  }))
  const lastOnes = new Set(finished.filter(({ retryInMs }) => retryInMs === null).map(({ deliveryId }) => deliveryId))
  const retries = finished.flatMap(({ webhookId, retryInMs }) =>
    retryInMs === null ? [] : [{ webhookId, inMs: retryInMs }],
  )

  return inQueueTransaction(db, ended.length <= fewAttempts ? 'few' : 'many', async (tx) => {
    await holdBackDispatch(tx)
    const telling = ended.filter(tellsOfHealth)
    const locked =
      telling.length === 0 ? [] : await lockHealth(tx, [...new Set(telling.map(({ delivery }) => delivery.webhookId))])

    const recorded = await insertAttempts(tx, finished)
    const firsts = recorded.flatMap(({ webhookId, quoteId, wasInOrder }) =>
      wasInOrder && quoteId !== null ? [{ webhookId, quoteId }] : [],
    )
    const released = firsts.length > 0 ? await releaseNext(tx, firsts) : 0

    const recordedIds = new Set(recorded.map(({ deliveryId }) => deliveryId))
    const counted = telling.filter(({ delivery }) => recordedIds.has(delivery.deliveryId))
    return { disabled: await updateWebhooks(tx, locked, counted, lastOnes), retries, released }
  })
}

function retryIn(
  delivery: LeasedDelivery,
  attempt: Attempt,
  retrySeconds: readonly number[],
  random: number,
): number | null {
  if (attempt.outcome === 'accepted' || attempt.outcome === 'gone') return null
  return retryDelayMs(retrySeconds, delivery.attemptCount + 1, random, attempt.retryAfterSeconds) ?? null
}

/** An event accepted by a healthy webhook, as nearly all are, changes nothing about it: its row is left alone. */
function tellsOfHealth({ delivery, attempt }: EndedAttempt): boolean {
  return attempt.outcome !== 'accepted' || delivery.isFailing || delivery.type === verificationType
}

async function updateWebhooks(
  tx: Tx,
  locked: Awaited<ReturnType<typeof lockHealth>>,
  ended: readonly EndedAttempt[],
  lastOnes: ReadonlySet<string>,
): Promise<DisabledWebhook[]> {
  const disabled: DisabledWebhook[] = []
  for (const { health: before, now } of locked) {
    // What was sent before the URL was changed, or the webhook enabled again, says nothing about it as it is now.
    const own = ended.filter(
      ({ delivery }) => delivery.webhookId === before.webhookId && delivery.webhookRevision === before.revision,
    )
    if (own.length === 0) continue
    const after = own.reduce(
      (health, one) => afterAttempt(health, one, lastOnes.has(one.delivery.deliveryId), now),
      before,
    )
    await updateHealth(tx, after)
    if (after.status === 'disabled' && before.status === 'active' && after.disabledReason !== null) {
      disabled.push({ webhookId: after.webhookId, partnerId: after.partnerId, reason: after.disabledReason })
    }
  }
  return disabled
}

function afterAttempt(
  health: WebhookHealth,
  { delivery, attempt }: EndedAttempt,
  wasLast: boolean,
  now: Date,
): WebhookHealth {
  const isVerification = delivery.type === verificationType
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
      return disable({ ...health, ...afterFailure(health, now) }, disabledReasons.gone)
    case 'failed': {
      const streak = afterFailure(health, now)
      const verification = isVerification && wasLast ? afterLastChallenge(health) : health.verification
      const failing = { ...health, ...streak, verification }
      return hasFailedTooLong(streak) ? disable(failing, disabledReasons.failing) : failing
    }
  }
}

/** A challenge nobody echoed does not undo an earlier verification. */
function afterLastChallenge(health: WebhookHealth): WebhookHealth['verification'] {
  return health.verification === 'pending' ? 'failed' : health.verification
}

/** Already disabled stays as it is. What waits for it is failed by `settle-disabled.ts`, its verification with it. */
function disable(health: WebhookHealth, disabledReason: string): WebhookHealth {
  if (health.status === 'disabled') return health
  return { ...health, status: 'disabled', disabledReason, verification: afterLastChallenge(health) }
}
