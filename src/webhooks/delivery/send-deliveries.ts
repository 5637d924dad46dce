import type { Logger } from 'pino'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { traceHeaders, traceparentOf } from '../../platform/kernel/request-context.ts'
import { beginDelivery, endDelivery } from '../../platform/kernel/spans.ts'
import { parseRetryAfter } from '../../platform/kernel/upstream-failure.ts'
import { openSecret, signMessage } from '../secrets/secret.ts'
import type { WebhookResponse, WebhookSender } from '../sender/webhook-sender.ts'
import type { WebhookBacklog } from './backlog.store.ts'
import { type Attempt, keptBodyBytes } from './delivery.ts'
import { completeBody } from './delivery-body.store.ts'
import type { EndedAttempt, LeasedDelivery, SendingLimits } from './queue.store.ts'
import {
  type AttemptOutcome,
  attemptTimeoutMs,
  headersOfEveryMessage,
  responseOutcome,
  verificationTimeoutMs,
  verificationType,
} from './response-outcome.ts'

/** What one process has sent since it started and what it is sending now. */
export interface WebhookMetrics {
  /** The number of ended attempts, by outcome. */
  attempts: Readonly<Record<AttemptOutcome, number>>
  /** The total duration of ended attempts. */
  attemptSeconds: number
  /** The number of deliveries being sent. They are sent as soon as they are leased. */
  inFlight: number
  /** The backlog of all processes, up to a few seconds old; undefined if the query failed. */
  backlog: WebhookBacklog | undefined
}

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
  readonly #attempts = new Set<Promise<void>>()
  readonly #ended: EndedAttempt[] = []
  readonly #occupiedSlots = new Map<string, number>()
  readonly #outcomes: Record<AttemptOutcome, number> = { accepted: 0, unverified: 0, failed: 0, gone: 0 }
  #attemptMs = 0
  #total = 0
  #toFailing = 0
  #hasFinished = false

  constructor(options: DeliverySenderOptions) {
    this.#options = options
  }

  /** The number of occupied slots, by webhook. */
  get occupiedSlots(): ReadonlyMap<string, number> {
    return this.#occupiedSlots
  }

  /** The limits that remain: the configured ones, minus the slots that are in use. */
  get remainingLimits(): SendingLimits {
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
    const inFlight = this.#attempts.size
    return { attempts: { ...this.#outcomes }, attemptSeconds: this.#attemptMs / 1_000, inFlight }
  }

  /**
   * Waits at most `graceMs` for attempts in progress. What becomes of the rest is not recorded; they can be sent again
   * once their leases expire.
   */
  async finish(graceMs: number): Promise<void> {
    const { promise: isLate, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, graceMs)
    await Promise.race([Promise.all(this.#attempts), isLate])
    clearTimeout(timer)
    this.#hasFinished = true
  }

  #count({ webhookId, isFailing }: LeasedDelivery, change: 1 | -1): void {
    this.#total += change
    if (isFailing) this.#toFailing += change
    const own = (this.#occupiedSlots.get(webhookId) ?? 0) + change
    if (own > 0) this.#occupiedSlots.set(webhookId, own)
    else this.#occupiedSlots.delete(webhookId)
  }

  async #attempt(delivery: LeasedDelivery): Promise<void> {
    try {
      const attempt = await deliver(this.#options, delivery)
      if (this.#hasFinished) return
      this.#outcomes[attempt.outcome] += 1
      this.#attemptMs += attempt.durationMs
      this.#ended.push({ delivery, attempt })
      this.#options.onEnded()
    } catch (error) {
      this.#count(delivery, -1)
      const { deliveryId, webhookId } = delivery
      const message = 'delivery could not be attempted; it is due again when its lease expires'
      this.#options.log.error({ err: error, deliveryId, webhookId }, message)
    }
  }
}

/**
 * Makes one attempt at a leased delivery: signs it, sends it, and says what the response means. Does not write to the database.
 * Rejects if the secret or the reference cannot be decrypted; the delivery is then due again when its lease expires.
 */
async function deliver(
  { sender, clock, cipher }: Pick<DeliverySenderOptions, 'sender' | 'clock' | 'cipher'>,
  delivery: LeasedDelivery,
): Promise<Attempt> {
  const { messageId, type, traceparent } = delivery
  const body = completeBody(cipher, delivery)
  const secrets = delivery.secrets.map((stored) => openSecret(cipher, delivery.webhookId, stored))
  const startedAt = clock.now()
  const span = beginDelivery(traceparent, { event: type, attempt: delivery.attemptCount + 1 })
  const ofSpan = span.isRecording() ? traceparentOf(span) : undefined
  const headers = {
    ...headersOfEveryMessage,
    ...(ofSpan !== undefined
      ? { traceparent: ofSpan }
      : traceparent === null
        ? {}
        : traceHeaders({ traceparent, tracestate: undefined })),
    ...signMessage(secrets, { id: messageId, timestamp: startedAt, body }),
  }
  const begun = performance.now()
  const timeoutMs = type === verificationType ? verificationTimeoutMs : attemptTimeoutMs
  const response = await sender.send({ url: delivery.url, headers, body, timeoutMs })
  const durationMs = Math.round(performance.now() - begun)
  const recorded = recordedResponse({ type, body }, response, clock.now())
  const { outcome, responseStatus } = recorded
  endDelivery(
    span,
    { outcome, ...(responseStatus === null ? {} : { status: `${Math.floor(responseStatus / 100)}xx` }) },
    outcome !== 'accepted',
  )
  return { startedAt, durationMs, requestHeaders: headers, ...recorded }
}

/**
 * What is recorded of a response: what became of the attempt, and the beginning of what the receiver said.
 *
 * @internal A test calls it with every kind of response.
 */
export function recordedResponse(
  message: { type: string; body: string },
  response: WebhookResponse,
  now: Date,
): Pick<Attempt, 'outcome' | 'responseStatus' | 'responseBody' | 'error' | 'retryAfterSeconds'> {
  return {
    ...responseOutcome(message, response),
    responseStatus: response.status,
    responseBody: response.status === null ? null : keepText(response.body),
    retryAfterSeconds: parseRetryAfter(response.retryAfter, now),
  }
}

/** The beginning of a response as text that PostgreSQL can store, without partial characters or NUL. */
function keepText(body: Buffer): string {
  if (body.length === 0) return ''
  return new TextDecoder('utf-8').decode(body.subarray(0, keptBodyBytes), { stream: true }).replaceAll('\0', '\uFFFD')
}
