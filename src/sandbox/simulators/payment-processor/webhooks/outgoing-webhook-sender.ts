import type { FastifyBaseLogger } from 'fastify'
import { Agent, fetch } from 'undici'
import type { Database } from '../../../../platform/db/database.ts'
import {
  deleteOutgoingWebhook,
  findDueWebhook,
  findMillisecondsUntilDue,
  type OutgoingWebhook,
  updateOutgoingWebhook,
} from './outgoing-webhooks.store.ts'
import { signatureHeader } from './webhook-event.ts'

const retryAfterMs = [500, 2_000, 8_000, 30_000, 120_000, 600_000] as const
const noticeTimeoutMs = 10_000
/**
 * The longest pause between two checks for other processes' webhooks. For its own webhooks, this process calls wake().
 */
const pollMs = 5_000
/** The pause after a database error. */
const afterFailureMs = 2_000

export interface OutgoingWebhookSender {
  /** Checks the queue for due webhooks now. */
  wake(): void
  /** Stops sending; resolves when no request is in progress. Unfinished webhooks stay in the queue. */
  stop(): Promise<void>
}

/**
 * Sends the webhooks queued in the database to one URL, one by one, with a few retries each. A stop or a crash loses
 * nothing: the next process sends the rest. Two processes may send one twice, as a real processor does. The URL is that of this sandbox
 * itself. Its TLS certificate is not verified, because the certificate is for the host name that partners call.
 */
export function startOutgoingWebhookSender(options: {
  db: Database
  url: string
  secret: string
  log: FastifyBaseLogger
}): OutgoingWebhookSender {
  const { db, url, secret, log } = options
  const stopped = new AbortController()
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  let woken = false
  let endPause: (() => void) | undefined

  const post = async ({ body }: OutgoingWebhook): Promise<string | undefined> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': signatureHeader(body, secret, new Date()),
          'user-agent': 'Housebill-payment-simulator/1.0',
        },
        body,
        redirect: 'manual',
        dispatcher,
        signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(noticeTimeoutMs)]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : `status ${response.status}`
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    }
  }

  const send = async (webhook: OutgoingWebhook): Promise<void> => {
    const { number, eventId, eventType, attempt } = webhook
    const failure = await post(webhook)
    if (failure === undefined) return deleteOutgoingWebhook(db, number)
    if (stopped.signal.aborted) return
    const pauseMs = retryAfterMs[attempt - 1]
    const about = { eventId, eventType, attempt, failure }
    if (pauseMs === undefined) {
      log.error(about, 'payment simulator stopped retrying a webhook')
      return deleteOutgoingWebhook(db, number)
    }
    log.warn(about, 'payment simulator webhook delivery failed; retrying')
    return updateOutgoingWebhook(db, webhook, pauseMs)
  }

  /** Sends all due webhooks. Returns the milliseconds until the next check of the queue. */
  const sendDue = async (): Promise<number> => {
    while (!stopped.signal.aborted) {
      const next = await findDueWebhook(db)
      if (next === undefined) break
      await send(next)
    }
    return stopped.signal.aborted ? 0 : Math.min((await findMillisecondsUntilDue(db)) ?? pollMs, pollMs)
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const repeat = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      woken = false
      const pauseMs = await sendDue().catch((error: unknown) => {
        log.warn({ err: error }, 'payment simulator failed to read its queue; retrying')
        return afterFailureMs
      })
      if (!woken && !stopped.signal.aborted) await pause(pauseMs)
    }
  }

  const ended = repeat()
  return {
    wake: () => {
      woken = true
      endPause?.()
    },
    stop: async () => {
      stopped.abort()
      endPause?.()
      await ended
      await dispatcher.destroy()
    },
  }
}
