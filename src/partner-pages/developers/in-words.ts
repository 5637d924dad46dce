import type { Static } from 'typebox'
import { selectField, textField } from '../../pages/fields.ts'
import type { Form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { tabs } from '../../pages/lists.ts'
import { keptDays } from '../../webhooks/history/kept-payloads.ts'
import type { listDeliveriesRoute } from '../../webhooks/history/read-deliveries.route.ts'
import type { WebhookObject } from '../../webhooks/webhook.schema.ts'
import { root } from './developer-visit.ts'

export type Webhook = Static<typeof WebhookObject>
export type ListedDelivery = Static<(typeof listDeliveriesRoute)['reply']>['data'][number]

/** How many rows the API gives at once. */
export const maxPage = 100

/** The address of a page of a webhook. */
export const webhookPath = (webhookId: string, part = '') => `${root}/webhooks/${encodeURIComponent(webhookId)}${part}`
/** The address of a delivery. */
export const deliveryPath = (deliveryId: string) => `${root}/deliveries/${encodeURIComponent(deliveryId)}`

const webhookParts = [
  ['', 'Webhook'],
  ['/deliveries', 'Deliveries'],
  ['/replay', 'Replay'],
  ['/edit', 'Edit'],
  ['/secret', 'Secret'],
] as const

/** The pages of a webhook, of which `part` is open. */
export function webhookTabs(webhookId: string, part: (typeof webhookParts)[number][0]): Html {
  const parts = webhookParts.map(([path, text]) => [webhookPath(webhookId, path), text] as const)
  return tabs('This webhook', parts, webhookPath(webhookId, part))
}

const clock = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/London',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})

/** An instant in UK time, such as `20 Nov 2026, 09:29:10 GMT`. A tooltip has the exact one. */
export function moment(instant: string): Html {
  return html`<time datetime="${instant}" title="${instant}">${clock.format(new Date(instant))}</time>`
}

/** An instant as a field for a time has it, in UK time, such as `2026-11-20T09:29:10`. */
export function asLocalTime(instant: string): string {
  const there = Temporal.Instant.from(instant).toZonedDateTimeISO('Europe/London')
  return there.toPlainDateTime().toString({ smallestUnit: 'second' })
}

/**
 * The instant of a field for a time, in UK time; undefined for an empty or invalid one. In the hour that comes twice it
 * is the first, and in the one that is left out it is an hour later.
 */
export function fromLocalTime(text: string): string | undefined {
  try {
    return new Date(Temporal.PlainDateTime.from(text).toZonedDateTime('Europe/London').epochMilliseconds).toISOString()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The fields of a filter by time, and what they say. */
export const period = {
  fields: (form: Form) => [
    textField(form, { name: 'from', label: 'From (UK time)', type: 'datetime-local' }),
    textField(form, { name: 'to', label: 'Before (UK time)', type: 'datetime-local' }),
  ],
  of: (query: URLSearchParams) => ({
    createdAfter: fromLocalTime(query.get('from') ?? ''),
    createdBefore: fromLocalTime(query.get('to') ?? ''),
  }),
}

/** A field of a filter that offers these values or any. */
export function choiceOf(form: Form, name: string, label: string, values: readonly string[]): Html {
  const options = [{ value: '', label: 'Any' }, ...values.map((value) => ({ value, label: value }))]
  return selectField(form, { name, label, options })
}

/** What a filter says, if it is one of these values. */
export function chosen<Value extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value | undefined {
  return values.find((value) => value === query.get(name))
}

/** A duration, such as `120 ms` or `1.5 s`. */
export function durationInWords(durationMs: number): string {
  return durationMs < 1_000 ? `${durationMs} ms` : `${(durationMs / 1_000).toFixed(1)} s`
}

/** Why a delivery failed for good. */
const givenUpReasons = {
  attempts_used_up: 'all attempts failed',
  webhook_disabled: 'the webhook was disabled',
  challenge_replaced: 'a newer challenge was sent, or the URL was changed',
} as const satisfies Record<NonNullable<ListedDelivery['givenUpBecause']>, string>

/** The status of a delivery, with what is worth knowing. */
export function statusOf({ status, givenUpBecause, eventType, quoteId }: ListedDelivery): string {
  const why = givenUpBecause === null ? '' : `: ${givenUpReasons[givenUpBecause]}`
  const isTest = quoteId === null && eventType !== 'webhook.verification'
  return `${{ pending: 'Pending', delivered: 'Delivered', failed: 'Failed' }[status]}${why}${isTest ? ' (test event)' : ''}`
}

/** The latest attempt of a delivery: the receiver's response, or what went wrong. */
export function latestOf({ attemptCount, lastAttempt, nextAttemptAt }: ListedDelivery): Html {
  const outcome =
    lastAttempt &&
    html`<br>${lastAttempt.responseStatus ?? 'no response'} after ${durationInWords(lastAttempt.durationMs)} ${lastAttempt.error}`
  return html`${attemptCount}${outcome}${nextAttemptAt && html`<br>next ${moment(nextAttemptAt)}`}`
}

/** When and why a webhook was disabled, and what that means. */
export function disabledInWords({ disabledAt, disabledReason, failingSince }: Webhook): Html {
  return html`<p>Disabled${disabledAt && html` since ${moment(disabledAt)}`}. Why: ${disabledReason ?? 'the reason is not known.'}${failingSince && html` The failures started on ${moment(failingSince)}.`}</p>
<p>No messages are sent to it. New events are kept for ${keptDays} days and can be sent after you enable it.</p>`
}

/** Text of somebody else, in a box. */
export function textBox(label: string, text: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`
}
