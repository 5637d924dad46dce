import type { ErrorResponse } from '../platform/http/errors/error-response.ts'
import { countInWords } from '../platform/kernel/in-words.ts'

// Limits of webhooks. Their sources are in docs/api-behaviour.md.

/** The maximum number of webhooks that a partner can have, including disabled ones but not deleted ones. */
export const maxWebhooks = 20

/**
 * How many of them can have the same URL, however it is written. Each sends every event, so many would flood a
 * receiver.
 */
export const maxWebhooksPerUrl = 5

/** A webhook is disabled after this many days in which every attempt failed (docs/webhooks.md#retries). */
export const maxFailingDays = 5

/** The part of the error table about webhooks. */
export const webhookErrors = {
  webhook_url_not_allowed: {
    status: 422,
    title: 'This webhook URL is not allowed',
    meaning:
      'The URL is not HTTPS, contains credentials, uses a port that is not allowed, or does not resolve to a public address.',
    remedy:
      'Use an HTTPS URL with a publicly reachable host, on port 443 or any port from 1024. A sandbox started with WEBHOOK_ALLOW_LOOPBACK=true also accepts receivers on its own machine.',
  },
  webhook_url_unreachable: {
    status: 422,
    title: "The webhook URL's host name does not resolve",
    meaning: 'No IP address was found for the host name of the URL.',
    remedy: 'Check the host name, and make sure that its DNS records are published.',
  },
  webhook_event_unknown: {
    status: 422,
    title: 'An event type is unknown',
    meaning: 'The request names an event type that does not exist. `detail` lists those that do.',
    remedy: 'Use only event types that the reference lists under Webhooks.',
  },
  too_many_webhooks: {
    status: 422,
    title: 'You already have the maximum number of webhooks',
    meaning: `A partner can have up to ${maxWebhooks} webhooks, of which up to ${maxWebhooksPerUrl} can have the same URL. Disabled ones count too.`,
    remedy: 'Delete a webhook you no longer need, or update an existing one.',
  },
  webhook_disabled: {
    status: 422,
    title: 'The webhook is disabled',
    meaning: `No messages are sent to a disabled webhook. Its disabledReason says why it was disabled: you disabled it, it responded with 410, or it failed for ${countInWords(maxFailingDays)} days.`,
    remedy:
      'Enable it with PATCH /Webhooks/{id} and {"status": "active"}, then send the request again with a new Idempotency-Key.',
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>
