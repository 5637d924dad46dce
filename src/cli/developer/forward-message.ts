import { request } from 'undici'
import type { Event } from '../../../clients/typescript/src/entry.ts'
import {
  type Attempt,
  attemptTimeoutMs,
  headersOfEveryMessage,
  judgeResponse,
} from '../../webhooks/delivery/deliver.ts'
import { signMessage } from '../../webhooks/secrets/signature.ts'
import type { WebhookResponse } from '../../webhooks/sender/webhook-sender.ts'

export type ForwardedAttempt = Pick<Attempt, 'outcome' | 'responseStatus' | 'error' | 'durationMs'>

/**
 * Makes one attempt to deliver an event to a local program: body, signature and judgement are those of a live delivery.
 * Rejects only if
 * `signal` aborts.
 */
export async function forwardMessage(
  event: Event,
  { url, secret, signal }: { url: string; secret: string; signal: AbortSignal },
): Promise<ForwardedAttempt> {
  // The API lists an event with the members of its message, in their order.
  const body = JSON.stringify(event)
  const headers = { ...headersOfEveryMessage, ...signMessage([secret], { id: event.id, timestamp: new Date(), body }) }
  const begun = performance.now()
  const response = await post(url, headers, body, signal)
  const durationMs = Math.round(performance.now() - begun)
  const { outcome, responseStatus, error } = judgeResponse({ type: event.type, body }, response, new Date())
  return { outcome, responseStatus, error, durationMs }
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<WebhookResponse> {
  const limit = AbortSignal.timeout(attemptTimeoutMs)
  const nothing = { body: Buffer.alloc(0), retryAfter: undefined }
  try {
    const response = await request(url, { method: 'POST', headers, body, signal: AbortSignal.any([signal, limit]) })
    await response.body.dump()
    return { ...nothing, status: response.statusCode, error: null }
  } catch (error) {
    signal.throwIfAborted()
    const { code = 'no response' } = error as NodeJS.ErrnoException
    if (limit.aborted)
      return {
        ...nothing,
        status: null,
        error: `The receiver did not respond within ${attemptTimeoutMs / 1_000} seconds.`,
      }
    return { ...nothing, status: null, error: `The connection failed (${code}).` }
  }
}
