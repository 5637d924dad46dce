import type { ErrorResponse } from '../platform/http/errors/error-response.ts'

/** The part of the error table that only the operator API returns. */
export const operatorErrors = {
  feed_reset: {
    status: 422,
    title: 'The feed has started again',
    meaning:
      'The database was restored from a backup, or its standby took over, after the cursor was issued. Changes that you have received may be gone and their positions used again.',
    remedy: 'Read the feed again from the start, without `after`, and skip the versions that you have.',
  },
  acknowledged_otherwise: {
    status: 422,
    title: 'This version was acknowledged under another reference',
    meaning:
      'Another call has acknowledged this version of the contract under another reference, so it may be in your back office twice.',
    remedy: 'Find the contract under the reference in the error, and keep only one of the two.',
  },
  service_status_not_allowed: {
    status: 422,
    title: 'The service cannot have this status now',
    meaning: 'A service is requested, then active, then ended; before it is active, it can fail or be withdrawn.',
    remedy:
      'Read the status of the service in the contract feed, and report the next one. The same status corrects its date.',
  },
  payment_status_not_allowed: {
    status: 422,
    title: 'The payment cannot have this status now',
    meaning:
      'A payment is scheduled, then submitted, then paid or failed. After a failure it can be submitted again or waived; once paid, it can be refunded or disputed.',
    remedy: 'Read the status of the payment in `GET /operator-api/Payments`, and report one that can follow.',
  },
  rate_card_change_not_allowed: {
    status: 422,
    title: 'The rate card cannot be changed in this way',
    meaning: 'A first day of sale that has begun cannot change, and a withdrawn card stays withdrawn.',
    remedy: 'Read the state of the card in `GET /operator-api/RateCards`, and do what the detail says.',
  },
  partner_disabled: {
    status: 422,
    title: 'The partner is disabled',
    meaning: 'The partner was disabled, which cannot be undone.',
    remedy: 'Create a new partner with `POST /operator-api/Partners`.',
  },
  commission_terms_not_allowed: {
    status: 422,
    title: 'The commission terms would change the past',
    meaning:
      'The terms would apply to a contract that has earned commission already, or to contracts that earned in a month that is closed.',
    remedy: 'Choose the later first day that the detail explains.',
  },
  commission_month_open: {
    status: 422,
    title: 'The commission month cannot be closed yet',
    meaning:
      'The month is not over, or a job has not recorded yet everything that belongs to it. It does so once an hour.',
    remedy: 'Try again later. Look at the log if it takes longer than an hour.',
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>
