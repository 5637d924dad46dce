import type { Logger } from 'pino'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type AttemptOutcome, deliver } from '../delivery/deliver.ts'
import type { LeasedDelivery, SendingLimits } from '../delivery/leases.store.ts'
import type { EndedAttempt } from '../delivery/record-attempts.ts'
import type { WebhookMetrics } from '../delivery/work-queue.ts'
import { WebhookKeyCache } from '../secrets/secret.ts'
import type { WebhookSender } from '../sender/webhook-sender.ts'

export interface DeliverySenderOptions {
  cipher: FieldCipher
  sender: WebhookSender
  clock: Clock
  log: Logger
  limits: SendingLimits
  /** Called when an attempt has ended and is waiting to be recorded. */
  onEnded(): void
}

/**
 * Sends leased deliveries concurrently, and keeps their outcomes until they are recorded. A delivery occupies a slot
 * from its lease until its outcome is recorded, so that leasing stops while outcomes cannot be recorded.
 */
export class DeliverySender {
  readonly #options: DeliverySenderOptions
  readonly #secrets: WebhookKeyCache
  readonly #abandoned = new AbortController()
  readonly #attempts = new Set<Promise<void>>()
  readonly #ended: EndedAttempt[] = []
  readonly #byWebhook = new Map<string, number>()
  readonly #outcomes: Record<AttemptOutcome, number> = { accepted: 0, unverified: 0, failed: 0, gone: 0 }
  #attemptMs = 0
  #total = 0
  #toFailing = 0

  constructor(options: DeliverySenderOptions) {
    this.#options = options
    this.#secrets = new WebhookKeyCache(options.cipher)
  }

  /** The number of occupied slots, by webhook. */
  get byWebhook(): ReadonlyMap<string, number> {
    return this.#byWebhook
  }

  /** The limits that remain: the configured ones, minus the slots that are in use. */
  get room(): SendingLimits {
    const { limits } = this.#options
    return { ...limits, slots: limits.slots - this.#total, failingSlots: limits.failingSlots - this.#toFailing }
  }

  /** Ended attempts that are not recorded yet, oldest first. */
  get ended(): readonly EndedAttempt[] {
    return this.#ended
  }

  begin(leased: readonly LeasedDelivery[]): void {
    for (const delivery of leased) {
      this.#count(delivery, 1)
      const attempt = this.#attempt(delivery).finally(() => this.#attempts.delete(attempt))
      this.#attempts.add(attempt)
    }
  }

  /** Frees the slots of the first `count` attempts that ended, once they have been recorded or dropped. */
  release(count: number): void {
    for (const { delivery } of this.#ended.splice(0, count)) this.#count(delivery, -1)
  }

  metrics(): Omit<WebhookMetrics, 'backlog'> {
    const sending = this.#attempts.size
    return { attempts: { ...this.#outcomes }, attemptSeconds: this.#attemptMs / 1_000, sending }
  }

  /**
   * Waits at most `graceMs` for attempts in progress. Abandons the rest, which can be sent again once their leases
   * expire.
   */
  async finish(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#abandoned.abort(), graceMs)
    await Promise.all(this.#attempts)
    clearTimeout(timer)
  }

  #count({ webhookId, isFailing }: LeasedDelivery, change: 1 | -1): void {
    this.#total += change
    if (isFailing) this.#toFailing += change
    const own = (this.#byWebhook.get(webhookId) ?? 0) + change
    if (own > 0) this.#byWebhook.set(webhookId, own)
    else this.#byWebhook.delete(webhookId)
  }

  async #attempt(delivery: LeasedDelivery): Promise<void> {
    try {
      const attempt = await deliver({ ...this.#options, secrets: this.#secrets }, delivery, this.#abandoned.signal)
      this.#outcomes[attempt.outcome] += 1
      this.#attemptMs += attempt.durationMs
      this.#ended.push({ delivery, attempt })
      this.#options.onEnded()
    } catch (error) {
      this.#count(delivery, -1)
      if (this.#abandoned.signal.aborted) return
      const { deliveryId, webhookId } = delivery
      const message = 'delivery could not be attempted; it is due again when its lease expires'
      this.#options.log.error({ err: error, deliveryId, webhookId }, message)
    }
  }
}
