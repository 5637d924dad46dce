import { parseRetryAfter } from '../../platform/kernel/retry-after.ts'
import type { WebhookResponse } from '../egress/webhook-sender.ts'
import { echoesChallenge, verificationType } from '../messages/message.ts'
import { keptBodyBytes } from './delivery.ts'

/**
 * `unverified`: a 2xx response without the challenge; the attempt is retried but does not count as a failure of the receiver.
 * `gone`: the receiver responded with 410 and wants no more messages.
 */
export type AttemptOutcome = 'accepted' | 'unverified' | 'failed' | 'gone'

/** One attempt to deliver a message, as it is recorded and shown to the partner. */
export interface Attempt {
  outcome: AttemptOutcome
  startedAt: Date
  durationMs: number
  requestHeaders: Readonly<Record<string, string>>
  responseStatus: number | null
  /** The first 4 KiB of the response's body; null if there was no response. */
  responseBody: string | null
  /** A description for the partner; null if the attempt was accepted. */
  error: string | null
  retryAfterSeconds: number | undefined
}

/** Judges a response. It is accepted if it is a complete 2xx response and, for a verification, echoes the challenge. */
export function judgeResponse(
  message: { type: string; body: string },
  answer: WebhookResponse,
  now: Date,
): Pick<Attempt, 'outcome' | 'responseStatus' | 'responseBody' | 'error' | 'retryAfterSeconds'> {
  return {
    ...judge(message, answer),
    responseStatus: answer.status,
    responseBody: answer.status === null ? null : keepText(answer.body),
    retryAfterSeconds: parseRetryAfter(answer.retryAfter, now),
  }
}

function judge(
  message: { type: string; body: string },
  { status, body, error }: WebhookResponse,
): Pick<Attempt, 'outcome' | 'error'> {
  if (error !== null || status === null) return { outcome: 'failed', error: error ?? 'The receiver did not respond.' }
  if (status === 410)
    return { outcome: 'gone', error: 'The receiver responded with status 410: it no longer wants deliveries.' }
  if (status >= 300 && status < 400) {
    return {
      outcome: 'failed',
      error: `The receiver responded with a redirect (${status}), which is not followed. Register the final URL.`,
    }
  }
  if (status < 200 || status > 299)
    return { outcome: 'failed', error: `The receiver responded with status ${status} instead of 2xx.` }
  if (message.type === verificationType && !echoesChallenge(message.body, body.toString('utf8'))) {
    return {
      outcome: 'unverified',
      error: 'The response did not contain data.challenge, as JSON {"challenge": "..."} or as plain text.',
    }
  }
  return { outcome: 'accepted', error: null }
}

/** The beginning of a response as text that PostgreSQL can store, without partial characters or NUL. */
function keepText(body: Buffer): string {
  if (body.length === 0) return ''
  return new TextDecoder('utf-8').decode(body.subarray(0, keptBodyBytes), { stream: true }).replaceAll('\0', '\uFFFD')
}
