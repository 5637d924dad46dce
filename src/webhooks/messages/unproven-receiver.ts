import type { Tx } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { verificationType } from '../delivery/response-outcome.ts'
import type { Webhook } from '../endpoints/subscription.ts'
import { listWebhookUrls } from '../endpoints/webhooks.store.ts'
import { hostOfWebhook } from '../sender/webhook-target.ts'
import { listRecentSendings } from './messages.store.ts'

/**
 * How many attempts at test messages and at challenges a host gets an hour at a partner's request. A challenge retries
 * by itself.
 */
const hourlyLimits = { test: 5, challenge: 20 }

const hourMs = 3_600_000

/**
 * Throws `rate_limited` if the webhook is not verified and its host already got as many messages of this kind as a
 * partner may send within an hour to a server that has not agreed to get any. Counts what was sent to the host, also by
 * webhooks that are deleted or have another URL now. The caller locks the partner's registrations first, so that
 * parallel calls count each other.
 */
export async function requireAllowance(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhook: Pick<Webhook, 'url' | 'verification'>,
  messageType: string,
): Promise<void> {
  if (webhook.verification === 'verified') return
  const kind = messageType === verificationType ? 'challenge' : 'test'
  const limit = hourlyLimits[kind]
  const host = hostOfWebhook(webhook.url)
  const webhooks = await listWebhookUrls(tx, partnerId)
  const idsOf = (some: typeof webhooks) => some.map(({ webhookId }) => webhookId)
  const present = webhooks.filter(({ url }) => hostOfWebhook(url) === host)
  const receiver = { host, webhookIds: idsOf(webhooks), presentIds: idsOf(present) }
  const agesMs = await listRecentSendings(tx, partnerId, receiver, kind === 'challenge', limit)
  const oldest = agesMs[limit - 1]
  if (oldest === undefined) return
  const wait = Math.max(1, Math.ceil((hourMs - oldest) / 1_000))
  throw new DomainError(
    'rate_limited',
    `Until the receiver echoes its challenge, ${host} gets at most ${limit} ${kind} messages an hour. Echo the challenge, or wait ${wait} s.`,
    { retryAfterSeconds: wait },
  )
}
