import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Webhook } from '../endpoints/subscription.ts'

/** A message queued at a partner's request. The partner can follow its delivery with the delivery's id. */
export interface QueuedMessage {
  deliveryId: Id<'delivery'>
  webhookId: Id<'webhook'>
  messageId: string
  type: string
}

/** Throws `webhook_disabled` if the webhook is disabled. */
export function requireEnabled({ status, disabledReason }: Webhook): void {
  if (status === 'active') return
  throw new DomainError(
    'webhook_disabled',
    `The webhook is disabled, so no messages are sent to it. ${disabledReason ?? ''} Enable it first: PATCH it with {"status": "active"}.`,
  )
}
