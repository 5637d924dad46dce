import type { EventType } from '../../events/event.ts'
import { disabledReasons } from './endpoint-health.ts'
import type { Webhook, WebhookStatus } from './subscription.ts'

/** What a partner can change about a webhook; absent fields are left unchanged. `checkEvents` checks the events. */
export interface WebhookChanges {
  url?: string
  events?: EventType[]
  status?: WebhookStatus
}

/** A webhook after a partner's changes, and the consequences of the changes. */
export interface ChangedWebhook {
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
