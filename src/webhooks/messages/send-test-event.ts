import type { Caller } from '../../partners/caller.ts'
import { insertAuditEntry } from '../../platform/audit/audit-log.store.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { invalidFields, notFound } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { endChallenges } from '../delivery/give-up.store.ts'
import { verificationType } from '../delivery/response-outcome.ts'
import { checkEventType } from '../endpoints/subscription.ts'
import { lockRegistrations, lockWebhook, updateWebhook } from '../endpoints/webhooks.store.ts'
import { type QueuedMessage, requireEnabled, testMessage, verificationMessage } from './message.ts'
import { insertMessage } from './messages.store.ts'
import { requireAllowance } from './unproven-receiver.ts'

/**
 * POST /Webhooks/{id}/send-test-event (not in the specification). Queues a signed example of an event, which is marked
 * as a test and delivered like any other event. It can be of any type, even one that the webhook does not subscribe to,
 * and defaults to the first subscribed type. It does not wait for verification, but until then it is not retried, and a
 * host gets only a few an hour. Throws `not_found`, `webhook_event_unknown`, `webhook_disabled` and `rate_limited`.
 */
export async function sendTestEvent(
  { db, clock }: { db: Database; clock: Clock },
  caller: Caller,
  webhookId: Id<'webhook'>,
  input: { type?: string },
): Promise<QueuedMessage> {
  return inTransaction(db, caller, async (tx) => {
    await lockRegistrations(tx, caller.partnerId)
    const webhook = await lockWebhook(tx, caller.partnerId, webhookId)
    if (webhook === undefined) throw notFound('webhook')
    const { type, errors } = checkEventType(input.type ?? webhook.events[0] ?? '')
    if (type === undefined) throw invalidFields(errors, 'webhook_event_unknown')
    requireEnabled(webhook)
    await requireAllowance(tx, caller.partnerId, webhook, type)
    const message = testMessage(type, clock.now())
    const deliveryId = await insertMessage(tx, caller.partnerId, webhookId, message)
    const subject = { subjectType: 'webhook', subjectId: webhookId, quoteId: null, customerId: null }
    await insertAuditEntry(tx, caller.partnerId, { ...subject, action: 'asked', fields: [] })
    return { deliveryId, webhookId, messageId: message.messageId, type }
  })
}

/**
 * POST /Webhooks/{id}/send-verification (not in the specification). Sends a new challenge immediately. It replaces any
 * earlier challenge that is still pending. A failed verification becomes `pending`; a verified webhook stays verified
 * whatever the outcome. Throws `not_found`, `webhook_disabled` and `rate_limited`.
 */
export async function sendVerification(
  { db, clock }: { db: Database; clock: Clock },
  caller: Caller,
  webhookId: Id<'webhook'>,
): Promise<QueuedMessage> {
  return inTransaction(db, caller, async (tx) => {
    await lockRegistrations(tx, caller.partnerId)
    const webhook = await lockWebhook(tx, caller.partnerId, webhookId)
    if (webhook === undefined) throw notFound('webhook')
    requireEnabled(webhook)
    await requireAllowance(tx, caller.partnerId, webhook, verificationType)
    await endChallenges(tx, caller.partnerId, webhook)
    if (webhook.verification === 'failed')
      await updateWebhook(tx, caller.partnerId, { ...webhook, verification: 'pending' }, false)
    const message = verificationMessage(webhookId, clock.now())
    const deliveryId = await insertMessage(tx, caller.partnerId, webhookId, message)
    const subject = { subjectType: 'webhook', subjectId: webhookId, quoteId: null, customerId: null }
    await insertAuditEntry(tx, caller.partnerId, { ...subject, action: 'asked', fields: [] })
    return { deliveryId, webhookId, messageId: message.messageId, type: message.type }
  })
}
