import type { EventType } from '../../events/event.ts'
import type { Caller } from '../../partners/caller.ts'
import { type Database, inQueueTransaction, inTransaction } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { endChallenges, giveUpDeliveriesOfDisabledWebhooks } from '../delivery/give-up.store.ts'
import { verificationMessage } from '../messages/message.ts'
import { insertMessage } from '../messages/messages.store.ts'
import { checkLimits, checkUrl, throwIfInvalid, type UrlCheckDependencies } from './check-registration.ts'
import { disabledReasons } from './endpoint-health.ts'
import { checkEvents, type Webhook, type WebhookStatus } from './subscription.ts'
import { findWebhook, lockRegistrations, lockWebhook, updateWebhook as storeWebhook } from './webhooks.store.ts'

interface UpdateWebhookDependencies extends UrlCheckDependencies {
  db: Database
  clock: Clock
}

const giveUpBatch = 1_000

/**
 * PATCH /Webhooks/{id} (not in the specification). Changes the URL, the events and the status, under the same rules as
 * a registration. A new URL has to be verified, and pending deliveries go to it. Enabling a webhook ends its run of
 * failures; deliveries that were pending when it was disabled have failed by then. Idempotent. Throws `not_found`,
 * `webhook_url_not_allowed`, `webhook_url_unreachable`, `webhook_event_unknown`, `validation_failed`,
 * `too_many_webhooks`.
 */
export async function updateWebhook(
  { db, clock, ...urls }: UpdateWebhookDependencies,
  caller: Caller,
  webhookId: Id<'webhook'>,
  input: { url?: string; events?: readonly string[]; status?: WebhookStatus },
): Promise<Webhook> {
  const found = await findWebhook(db, caller.partnerId, webhookId)
  if (found === undefined) throw notFound('webhook')
  const { events, errors } = input.events === undefined ? { errors: [] } : checkEvents(input.events)
  throwIfInvalid([...(input.url === undefined ? [] : await checkUrl(urls, input.url)), ...errors])
  const { url, status } = input
  const changes = { ...(url && { url }), ...(events && { events }), ...(status && { status }) }

  const enables = found.status === 'disabled' && status === 'active'
  if (enables) await giveUpPendingDeliveries(db, caller.partnerId, webhookId)

  return inTransaction(db, caller, async (tx) => {
    // Before the webhook's row, because registrations lock the partner's row first.
    if (url !== undefined) await lockRegistrations(tx, caller.partnerId)
    const before = await lockWebhook(tx, caller.partnerId, webhookId)
    if (before === undefined) throw notFound('webhook')
    const { webhook, isEnabled, isMoved, needsChallenge } = applyChanges(before, changes)
    if (isMoved) await checkLimits(tx, caller.partnerId, { url: webhook.url, movingId: webhookId })
    if (isEnabled) await giveUpDeliveriesOfDisabledWebhooks(tx, null, { partnerId: caller.partnerId, webhookId })
    const stored = await storeWebhook(tx, caller.partnerId, webhook, isEnabled || isMoved)
    if (isMoved || needsChallenge) await endChallenges(tx, caller.partnerId, before)
    if (needsChallenge)
      await insertMessage(tx, caller.partnerId, webhookId, verificationMessage(webhookId, clock.now()))
    tx.wakeAfterCommit(stored.status === 'disabled' ? 'disabled' : 'deliveries')
    return stored
  })
}

/** Gives up the disabled webhook's pending deliveries, in separate transactions because there may be a million. */
async function giveUpPendingDeliveries(
  db: Database,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
): Promise<void> {
  let found = giveUpBatch
  while (found === giveUpBatch)
    found = await inQueueTransaction(db, (tx) =>
      giveUpDeliveriesOfDisabledWebhooks(tx, giveUpBatch, { partnerId, webhookId }),
    )
}

/** What a partner can change about a webhook; absent fields are left unchanged. `checkEvents` checks the events. */
export interface WebhookChanges {
  url?: string
  events?: EventType[]
  status?: WebhookStatus
}

/** A webhook after a partner's changes, and the consequences of the changes. */
interface ChangedWebhook {
  webhook: Webhook
  /**
   * True if the change enables a disabled webhook. Its pending deliveries must be given up before the change is saved.
   */
  isEnabled: boolean
  /** True if the URL changed. Challenges sent to the old URL no longer count. */
  isMoved: boolean
  /** True if a new challenge has to be sent. */
  needsChallenge: boolean
}

/**
 * Applies a partner's changes. A new URL has to be verified. Enabling a webhook that was never verified also sends a
 * new challenge, because disabling ended the last one. If the URL changes while the webhook is disabled, the challenge
 * is sent when it is enabled. Disabling ends a challenge in progress.
 * @internal Tested alone.
 */
export function applyChanges(before: Webhook, changes: WebhookChanges): ChangedWebhook {
  const status = changes.status ?? before.status
  const isMoved = changes.url !== undefined && changes.url !== before.url
  const isEnabled = before.status === 'disabled' && status === 'active'
  const isDisabled = before.status === 'active' && status === 'disabled'
  const needsChallenge = status === 'active' && (isMoved || (isEnabled && before.verification !== 'verified'))
  return {
    webhook: {
      ...before,
      url: changes.url ?? before.url,
      events: changes.events ?? before.events,
      status,
      disabledReason: isDisabled ? disabledReasons.byPartner : isEnabled ? null : before.disabledReason,
      verification: verificationAfter(before, { isMoved, isDisabled, needsChallenge }),
    },
    isEnabled,
    isMoved,
    needsChallenge,
  }
}

function verificationAfter(
  { verification }: Webhook,
  { isMoved, isDisabled, needsChallenge }: { isMoved: boolean; isDisabled: boolean; needsChallenge: boolean },
): Webhook['verification'] {
  if (isMoved || needsChallenge) return 'pending'
  return isDisabled && verification === 'pending' ? 'failed' : verification
}
