import type { FastifyBaseLogger } from 'fastify'
import { signatureHeader, type WebhookEvent } from './webhook-event.ts'
import { promptDelivery, type WebhookMode } from './webhook-mode.ts'

const retryAfterMs = [500, 2_000, 8_000] as const
const attemptTimeoutMs = 10_000
const shortestGatheringMs = 500

export interface WebhookSender {
  /** Returns at once; the event is delivered in the background by the mode now set, or its loss is logged. */
  send(event: WebhookEvent): void
  setMode(mode: WebhookMode): void
  /** Gives up everything still to be sent, and resolves when nothing is under way any more. */
  stop(): Promise<void>
}

/**
 * Sends events to one URL, first attempts one after the other, each tried again a few times on its own. What waits
 * lives in memory only: an event whose process ends is lost, as the service must be able to bear.
 */
export function createWebhookSender(options: { url: string; secret: string; log: FastifyBaseLogger }): WebhookSender {
  const { url, secret, log } = options
  const stopped = new AbortController()
  const timers = new Set<NodeJS.Timeout>()
  let mode = promptDelivery
  let firstAttempts = Promise.resolve()
  const retries = new Set<Promise<void>>()
  let gathered: WebhookEvent[] = []

  const later = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timer.unref()
    timers.add(timer)
  }

  const attempt = async (event: WebhookEvent, number: number): Promise<void> => {
    if (stopped.signal.aborted) return
    const failure = await post(event)
    if (failure === undefined || stopped.signal.aborted) return
    const about = { eventId: event.id, eventType: event.type, attempt: number, failure }
    const pause = retryAfterMs[number - 1]
    if (pause === undefined) {
      log.error(about, 'the payment simulator gave up delivering a webhook')
      return
    }
    log.warn(about, 'the payment simulator could not deliver a webhook and will try again')
    later(pause, () => {
      const retry = attempt(event, number + 1).finally(() => retries.delete(retry))
      retries.add(retry)
    })
  }

  /** What went wrong, if anything did. */
  const post = async (event: WebhookEvent): Promise<string | undefined> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': signatureHeader(event.body, secret, new Date()),
          'user-agent': 'Housebill-payment-simulator/1.0',
        },
        body: event.body,
        redirect: 'manual',
        signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(attemptTimeoutMs)]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : `status ${response.status}`
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    }
  }

  const deliver = (event: WebhookEvent, copies: number) => {
    for (let copy = 0; copy < copies; copy += 1) firstAttempts = firstAttempts.then(() => attempt(event, 1))
  }

  const gather = (event: WebhookEvent, { delayMs, copies }: WebhookMode) => {
    gathered.push(event)
    if (gathered.length > 1) return
    later(Math.max(delayMs, shortestGatheringMs), () => {
      const newestFirst = gathered.toReversed()
      gathered = []
      for (const late of newestFirst) deliver(late, copies)
    })
  }

  return {
    send: (event) => {
      if (stopped.signal.aborted || mode.lost) {
        log.warn({ eventId: event.id, eventType: event.type }, 'the payment simulator loses a webhook')
        return
      }
      const { delayMs, copies, order } = mode
      if (order === 'reversed') gather(event, mode)
      else if (delayMs > 0) later(delayMs, () => deliver(event, copies))
      else deliver(event, copies)
    },
    setMode: (next) => {
      mode = next
    },
    stop: async () => {
      stopped.abort()
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
      await Promise.all([firstAttempts, ...retries])
    },
  }
}
