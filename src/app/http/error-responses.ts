import { operatorErrors } from '../../back-office/operator-errors.ts'
import { contractErrors } from '../../contracts/contract-errors.ts'
import { idempotencyErrors, requestErrors } from '../../platform/http/errors/request-errors.ts'
import { quoteErrors } from '../../quoting/quote-errors.ts'
import { webhookErrors } from '../../webhooks/webhook-errors.ts'

/** Every error of the partner API, with its status and documentation (docs/errors-and-retries.md). */
export const partnerErrorResponses = {
  ...requestErrors,
  ...quoteErrors,
  ...contractErrors,
  ...webhookErrors,
  ...idempotencyErrors,
}

/** Every error of both APIs. */
export const errorResponses = { ...partnerErrorResponses, ...operatorErrors }

/** Every error code a request can return, as one closed union. */
export type ErrorCode = keyof typeof errorResponses

/** All error codes, in the table's order. */
// Safe: the table's type has exactly these keys.
export const errorCodes = Object.keys(errorResponses) as readonly ErrorCode[]
