import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { traceHeaders } from '../../platform/kernel/request-context.ts'
import { parseRetryAfter } from '../../platform/kernel/upstream-failure.ts'
import { completeBody, echoesChallenge, verificationType } from '../messages/message.ts'
import { signMessage, type WebhookKeyCache } from '../secrets/secret.ts'
import type { WebhookResponse, WebhookSender } from '../sender/webhook-sender.ts'
import { keptBodyBytes } from './delivery.ts'
import type { LeasedDelivery } from './leases.store.ts'

/** The time limit from the lookup of the receiver's name to the last byte of its response. */
export const attemptTimeoutMs = 15_000
/** The time limit for a verification. It is shorter because a challenge only has to be echoed. */
export const verificationTimeoutMs = 10_000

/** The headers of every message besides those of its signature and its trace. */
export const headersOfEveryMessage = {
  'content-type': 'application/json',
  'user-agent': 'Housebill-Webhooks/1',
} as const

/**
 * Makes one attempt at a leased delivery: signs it, sends it, judges the response. Does not write to the database.
 * Rejects if the secret or the reference cannot be decrypted or `signal` aborts; the delivery is then due again when
 * its lease expires.
 */
export async function deliver(
  {
    secrets,
    sender,
    clock,
    cipher,
  }: { secrets: WebhookKeyCache; sender: WebhookSender; clock: Clock; cipher: FieldCipher },
  delivery: LeasedDelivery,
  signal: AbortSignal,
): Promise<Attempt> {
  const { messageId, type } = delivery
  const body = completeBody(cipher, delivery)
  const keys = delivery.secrets.map((stored) => secrets.open(delivery.webhookId, stored))
  const startedAt = clock.now()
  const headers = {
    ...headersOfEveryMessage,
    ...(delivery.traceparent === null
      ? {}
      : traceHeaders({ traceparent: delivery.traceparent, tracestate: undefined })),
    ...signMessage(keys, { id: messageId, timestamp: startedAt, body }),
  }
  const begun = performance.now()
  const timeoutMs = type === verificationType ? verificationTimeoutMs : attemptTimeoutMs
  const response = await sender.send({ url: delivery.url, headers, body, timeoutMs }, signal)
  const durationMs = Math.round(performance.now() - begun)
  return { startedAt, durationMs, requestHeaders: headers, ...judgeResponse({ type, body }, response, clock.now()) }
}

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
  response: WebhookResponse,
  now: Date,
): Pick<Attempt, 'outcome' | 'responseStatus' | 'responseBody' | 'error' | 'retryAfterSeconds'> {
  return {
    ...judge(message, response),
    responseStatus: response.status,
    responseBody: response.status === null ? null : keepText(response.body),
    retryAfterSeconds: parseRetryAfter(response.retryAfter, now),
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
