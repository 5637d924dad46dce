import { html, nothing, type TemplateResult } from 'lit-html'
import { eventSummaries } from '../api/event-summaries.ts'
import { limits, type Operations } from '../api/partner-api.ts'
import { moment } from './moment.ts'

export type Webhook = Operations['getWebhook']['response']
export type EventType = keyof typeof eventSummaries
export type Delivery = Operations['listDeliveries']['response']['data'][number]

export const eventTypes = Object.keys(eventSummaries) as EventType[]

/** A state in a word or two. Its colour never adds information that the words do not contain. */
export function badge(look: 'good' | 'bad' | 'waiting', text: unknown): TemplateResult {
  return html`<span class="badge ${look}">${text}</span>`
}

export function statusBadge({ status }: Webhook): TemplateResult {
  return status === 'active' ? badge('good', 'Active') : badge('bad', 'Disabled')
}

export function verificationBadge({ verification }: Webhook): TemplateResult {
  switch (verification) {
    case 'verified':
      return badge('good', 'Verified')
    case 'pending':
      return badge('waiting', 'Verification pending')
    case 'failed':
      return badge('bad', 'Verification failed')
  }
}

export function healthBadge({ status, failingSince }: Webhook): TemplateResult | typeof nothing {
  if (failingSince !== null) return badge('bad', html`Failing since ${moment(failingSince)}`)
  return status === 'active' ? badge('good', 'No failures') : nothing
}

const deliveryLooks = { delivered: 'good', failed: 'bad', pending: 'waiting' } as const
const deliveryNames = { delivered: 'Delivered', failed: 'Failed', pending: 'Pending' } as const

export function deliveryBadge({ status }: Pick<Delivery, 'status'>): TemplateResult {
  return badge(deliveryLooks[status], deliveryNames[status])
}

/** Why a delivery failed for good. */
export const givenUpReasons = {
  attempts_used_up: 'all attempts failed',
  webhook_disabled: 'the webhook was disabled',
  challenge_replaced: 'a newer challenge was sent, or the URL was changed',
} as const satisfies Record<NonNullable<Delivery['givenUpBecause']>, string>

/** Whether a delivery is a test event, which has no quote and is not in the event list. */
export function isTestDelivery({ eventType, quoteId }: Pick<Delivery, 'eventType' | 'quoteId'>): boolean {
  return quoteId === null && eventType !== 'webhook.verification'
}

/** Says when and why a webhook was disabled, and what that means. */
export function disabledInWords({ disabledAt, disabledReason, failingSince }: Webhook): TemplateResult {
  return html`<p>
      ${disabledAt === null ? 'Disabled.' : html`Disabled since <strong>${moment(disabledAt)}</strong>.`} Why:
      <strong>${disabledReason ?? 'the reason is not known.'}</strong>
      ${failingSince === null ? nothing : html`The failures started on ${moment(failingSince)}.`}
    </p>
    <p>No messages are sent to it. New events are kept for ${limits.keptDays} days and can be sent after you enable it.</p>`
}

/** The URLs of a webhook's pages. */
export const webhookHref = (webhookId: string, part = '') =>
  `/console/webhooks/${encodeURIComponent(webhookId)}${part === '' ? '' : `/${part}`}`
export const deliveryHref = (deliveryId: string) => `/console/deliveries/${encodeURIComponent(deliveryId)}`
export const eventHref = (eventId: string) => `/console/events/${encodeURIComponent(eventId)}`
