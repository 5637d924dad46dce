import type { ErrorCode } from '../kernel/errors.ts'
import type { ErrorResponse } from './error-response.ts'

/** The part of the error table that is about webhooks. */
export const webhookErrorResponses = {
  webhook_url_not_allowed: {
    status: 422,
    title: 'This webhook URL is not allowed',
    meaning:
      'The URL is not https, carries credentials, uses a port that is not allowed, or resolves to no public address.',
    remedy:
      'Use an https URL on port 443 or from 1024 up whose host is publicly reachable. A sandbox that was started with WEBHOOK_ALLOW_LOOPBACK=true takes receivers on its own machine too.',
  },
  webhook_url_unreachable: {
    status: 422,
    title: "The webhook URL's host name does not resolve",
    meaning: 'No address was found for the host name of the URL.',
    remedy: 'Check the spelling of the host name and that its DNS records are published.',
  },
  webhook_event_unknown: {
    status: 422,
    title: 'An event name is unknown',
    meaning: 'A webhook can subscribe to quote.status.changed, customer.payment.updated and customer.status.changed.',
    remedy: 'Use these names only.',
  },
  too_many_webhooks: {
    status: 422,
    title: 'There are 20 webhooks already',
    meaning: 'A partner can have up to 20 webhooks, disabled ones included.',
    remedy: 'Delete one that is no longer needed, or change one of the existing webhooks.',
  },
  webhook_disabled: {
    status: 422,
    title: 'The webhook is disabled',
    meaning:
      'Nothing is sent to a disabled webhook. Its disabledReason says why it is disabled: you did it, it answered 410, or it failed for five days.',
    remedy:
      'Enable it with PATCH /Webhooks/{id} and {"status": "active"}, then send the request again under a new Idempotency-Key.',
  },
} as const satisfies Partial<Record<ErrorCode, ErrorResponse>>
