import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { traceHeaders } from '../../platform/kernel/request-context.ts'
import type { WebhookSender } from '../egress/webhook-sender.ts'
import { completeBody } from '../messages/complete-body.ts'
import { verificationType } from '../messages/message.ts'
import { signMessage } from '../secrets/signature.ts'
import type { WebhookKeyCache } from '../secrets/webhook-key-cache.ts'
import { type Attempt, judgeResponse } from './attempt.ts'
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
  const answer = await sender.send({ url: delivery.url, headers, body, timeoutMs }, signal)
  const durationMs = Math.round(performance.now() - begun)
  return { startedAt, durationMs, requestHeaders: headers, ...judgeResponse({ type, body }, answer, clock.now()) }
}
