import type { EventType } from '../../events/event.ts'
import { disabledReasons } from './endpoint-health.ts'
import type { Webhook, WebhookStatus } from './subscription.ts'

/** What a partner can change about a webhook; what is absent stays. Events are checked by `checkEvents`. */
export interface WebhookChanges {
  url?: string
  events?: EventType[]
  status?: WebhookStatus
}

/** A webhook after a partner's changes, and what follows from them. */
export interface ChangedWebhook {
  webhook: Webhook
  /** It was disabled and is active now: what waited for it is failed first. */
  isEnabled: boolean
  /** Another URL: challenges for the old one count no more. */
  isMoved: boolean
  /** A new challenge is due. */
  needsChallenge: boolean
}

/**
 * Applies a partner's changes. Another URL has to be verified anew. A webhook that is enabled without having been verified
 * gets a new challenge too, as disabling it ended the last one; one whose URL changes while it is disabled gets it when it
 * is enabled. Disabling ends a challenge that is under way.
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
