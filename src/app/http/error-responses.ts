import { operatorErrors } from '../../back-office/operator-errors.ts'
import { contractErrors } from '../../contracts/contract-errors.ts'
import { idempotencyErrors, requestErrors } from '../../platform/http/errors/request-errors.ts'
import { quoteErrors } from '../../quoting/quote-errors.ts'
import { webhookErrors } from '../../webhooks/webhook-errors.ts'

/** Every error of both APIs, with its status and documentation (docs/errors-and-retries.md). */
export const errorResponses = {
  ...requestErrors,
  ...quoteErrors,
  ...contractErrors,
  ...webhookErrors,
  ...operatorErrors,
  ...idempotencyErrors,
}

/** Every error code a request can return, as one closed union. */
export type ErrorCode = keyof typeof errorResponses

/** All error codes, in the table's order. */
// Safe: the table's type has exactly these keys.
export const errorCodes = Object.keys(errorResponses) as readonly ErrorCode[]
