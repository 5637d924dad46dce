import { storedResponseSeconds } from '../../idempotency/response-retention.ts'
import { timeInWords } from '../../openapi/time-in-words.ts'
import { bodyLimitBytes, defaultServerLimits } from '../server-limits.ts'
import type { ErrorResponse } from './error-response.ts'

const headerBytes = defaultServerLimits.headerBytes.toLocaleString('en-GB')

/** The part of the error table about requests, whatever they ask for. */
export const requestErrors = {
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON',
    meaning: 'The request body is not valid JSON or is not encoded in UTF-8.',
    remedy: 'Send one JSON value, serialised with a JSON library, with Content-Type: application/json.',
  },
  invalid_request: {
    status: 400,
    title: 'The request has missing, unknown or wrongly typed fields',
    meaning:
      'A required field or parameter is missing, an unknown one was sent, or a value has the wrong JSON type. `errors` lists every invalid field, including those with a value that is not acceptable. A field of the right type whose value is not acceptable returns 422 instead.',
    remedy: 'Correct each field listed in `errors` and send the request again.',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid access token is required',
    meaning:
      'The Authorization header is missing or malformed, or its token has expired, was not issued for this service or belongs to a disabled partner.',
    remedy: 'Get a new token from POST /partner-api/Auth/token and send it as "Authorization: Bearer <token>".',
  },
  insufficient_scope: {
    status: 403,
    title: 'The token does not have the required scope',
    meaning: 'The token is valid, but its credentials do not have the scope this operation requires.',
    remedy: 'Use credentials that have the scope named in `detail`, or ask the operator to grant it.',
  },
  address_not_allowed: {
    status: 403,
    title: 'The credentials cannot be used from this address',
    meaning:
      'The token is valid, but the operator allowed its credentials for certain IP addresses only, and the call came from another.',
    remedy: 'Call from an allowed address, or ask the operator to allow this one.',
  },
  partner_suspended: {
    status: 403,
    title: 'The operator has suspended your access',
    meaning:
      'The token is valid, but the operator has suspended your access, so nothing was read or changed. Webhook deliveries, payments and contracts continue.',
    remedy:
      'Ask the operator to resume your access, then send the same request again. Your credentials and webhooks are kept.',
  },
  not_found: {
    status: 404,
    title: 'The id or path does not exist',
    meaning:
      'The path does not exist, or the id in it is unknown. An id that belongs to another partner returns exactly the same response.',
    remedy:
      'Check the path and the id. Make sure that the id was created with credentials of the same partner and environment.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not support the method',
    meaning: 'The path exists, but does not support the HTTP method used.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  not_acceptable: {
    status: 406,
    title: 'The Accept header does not allow a JSON response',
    meaning: 'Every operation returns application/json, which the Accept header of the request excludes.',
    remedy: 'Send "Accept: application/json" or no Accept header.',
  },
  payload_too_large: {
    status: 413,
    title: `The body is larger than ${bodyLimitBytes / 1_024} KiB`,
    meaning: `No operation accepts a body of more than ${bodyLimitBytes.toLocaleString('en-GB')} bytes, but for imports, which accept 1 MiB.`,
    remedy: 'Send a smaller body.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be JSON',
    meaning: 'This operation requires a JSON body, but the Content-Type names a different format.',
    remedy: 'Send the body as JSON with "Content-Type: application/json".',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    meaning: 'The headers or the body arrived too slowly, so the connection was closed. Nothing was changed.',
    remedy: 'Send the complete request again on a new connection.',
  },
  uri_too_long: {
    status: 414,
    title: 'The URL is too long',
    meaning: `The first line and headers of a request may have at most ${headerBytes} bytes in total. The URL alone exceeds this limit.`,
    remedy: 'Send a shorter URL. No operation needs a URL of this length.',
  },
  headers_too_large: {
    status: 431,
    title: 'There are too many headers, or they are too large',
    meaning: `A request may have at most ${defaultServerLimits.headerFields} header fields. The first line and the header fields together may have at most ${headerBytes} bytes.`,
    remedy: 'Leave out headers that this service does not need, such as cookies.',
  },
  idempotency_in_flight: {
    status: 409,
    title: 'A request with this Idempotency-Key is still in progress',
    meaning: 'An earlier request with the same Idempotency-Key has not finished yet.',
    remedy: 'Wait for the number of seconds in Retry-After, then send the same request again.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'A rate limit has been reached: requests by the partner, broadband checks by the partner, token requests by the client or from the IP address, or test messages and challenges to the host of a webhook that is not verified. The RateLimit headers or the detail show which one.',
    remedy:
      'Wait for the number of seconds in Retry-After, then retry with exponential backoff. Reuse a token until it expires.',
  },
  service_unavailable: {
    status: 503,
    title: 'A service this request depends on is down',
    meaning:
      'The database or an external service that this request needs cannot be reached. No partial changes were saved.',
    remedy:
      'Retry the same request after the number of seconds in Retry-After. For a POST, use the same Idempotency-Key.',
  },
  internal_error: {
    status: 500,
    title: 'An unexpected server error',
    meaning: 'Something went wrong in Housebill. The error is logged with the requestId.',
    remedy: 'Retry once. If the error persists, report the requestId to the operator.',
  },
  validation_failed: {
    status: 422,
    title: 'A value is invalid',
    meaning:
      'All fields are present and have the right type, but a value is out of range, in the wrong format or breaks a rule. `errors` lists every invalid value.',
    remedy: 'Correct each field listed in `errors` as its `detail` describes.',
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>

/** The part of the error table about keys that were used already. */
export const idempotencyErrors = {
  idempotency_key_reused: {
    status: 422,
    title: 'This Idempotency-Key was used for a different request',
    meaning: `In the last ${timeInWords(storedResponseSeconds)}, the key was used with a different path or body.`,
    remedy: 'Use a new key for each new request. Reuse a key only to repeat the identical request.',
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>

/** The HTTP status of an error. The codes that other modules add are of broken rules. */
export function statusOf(code: string): number {
  return Object.hasOwn(requestErrors, code) ? requestErrors[code as keyof typeof requestErrors].status : 422
}
