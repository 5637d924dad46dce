import { storedResponseSeconds } from '../../idempotency/response-retention.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { countInWords } from '../../kernel/in-words.ts'
import {
  availabilityLifetimeMs,
  maxFailingDays,
  maxTenants,
  maxWebhooks,
  maxWebhooksPerUrl,
} from '../../kernel/limits.ts'
import { inHours, timeInWords } from '../../openapi/time-in-words.ts'
import { bodyLimitBytes } from '../plugins/body.ts'
import { defaultServerLimits } from '../server-limits.ts'
import { contractErrorResponses } from './contract-error-responses.ts'
import type { ErrorResponse } from './error-response.ts'
import { operatorErrorResponses } from './operator-error-responses.ts'

/** The webhook part of the error table. */
const webhookErrorResponses = {
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
} as const satisfies Partial<Record<ErrorCode, ErrorResponse>>

const headerBytes = defaultServerLimits.headerBytes.toLocaleString('en-GB')

/**
 * The table of error codes with their statuses and documentation (docs/errors-and-retries.md). Type checking fails if a
 * code is missing.
 */
export const errorResponses: Record<ErrorCode, ErrorResponse> = {
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
    meaning: `No operation accepts a body of more than ${bodyLimitBytes.toLocaleString('en-GB')} bytes.`,
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
  address_not_found: {
    status: 422,
    title: 'No property has this addressUid',
    meaning: 'The addressUid in the body does not name a property that can be quoted.',
    remedy: 'Look up the property with GET /Addresses/lookup and use the addressUid it returns.',
  },
  address_not_serviceable: {
    status: 422,
    title: 'This property cannot be supplied',
    meaning: 'The property exists, but its distribution region is unknown or has no prices.',
    remedy: 'Choose another property. If its meter number is wrong or missing, ask the operator to correct it.',
  },
  quoting_tool_version_not_found: {
    status: 422,
    title: 'This quoting tool version is not available',
    meaning: 'The quotingToolVersionId is unknown, or the version is not on sale today.',
    remedy: 'Choose an id from GET /Quotes/quoting-tool-versions, or leave the field out to use the default version.',
  },
  package_not_available: {
    status: 422,
    title: 'A package is not available for this quote',
    meaning:
      'A package id is unknown, is not offered for this property (gas needs a gas meter, electricity an electricity meter), or is the second of its type.',
    remedy:
      "Use ids from the quote's packages, at most one of each type. To replace the selection, use update-packages.",
  },
  duplicate_tenant: {
    status: 422,
    title: 'Two tenants have the same email address',
    meaning: 'Each tenant of a quote needs a different email address. Letter case is ignored.',
    remedy: 'Give each tenant a different email address.',
  },
  too_many_tenants: {
    status: 422,
    title: `More than ${countInWords(maxTenants)} tenants`,
    meaning: `A quote can have up to ${maxTenants} tenants.`,
    remedy: 'Remove tenants with POST /Quotes/{id}/remove-tenants, or create a second quote.',
  },
  quote_expired: {
    status: 422,
    title: 'The quote has expired',
    meaning: "The quote's prices are no longer valid.",
    remedy:
      'Call GET /Quotes/{id}/total-cost, which fetches new prices and extends the expiry. Show the new prices to the tenants, then continue.',
  },
  quote_locked: {
    status: 422,
    title: 'The quote can no longer be changed',
    meaning:
      'A tenant has started to set up payment, so the packages, tenants, broadband products, dates and prices are fixed.',
    remedy:
      'Call POST /Quotes/{id}/reopen, which is possible until a tenant completes onboarding, or create a new quote.',
  },
  quote_cancelled: {
    status: 422,
    title: 'The quote was cancelled',
    meaning: 'A cancelled quote cannot be used any more.',
    remedy: 'Create a new quote for the property.',
  },
  packages_required: {
    status: 422,
    title: 'The quote has no packages yet',
    meaning: 'This step requires at least one selected package.',
    remedy: 'Select packages first with POST /Quotes/{id}/add-packages.',
  },
  tenants_required: {
    status: 422,
    title: 'The quote has no tenants yet',
    meaning: 'This step requires at least one tenant.',
    remedy: 'Add tenants first with POST /Quotes/{id}/add-tenants.',
  },
  broadband_check_required: {
    status: 422,
    title: 'Broadband availability has not been checked',
    meaning: `You can only add products if an availability check returned the products for this address in the last ${inHours(availabilityLifetimeMs / 1_000)}.`,
    remedy:
      'Call GET /Quotes/run-broadband-availability-check/{uid} with the addressUid. If the home telecom provider failed, run the check again later.',
  },
  broadband_product_not_available: {
    status: 422,
    title: 'A broadband product is not available at this address',
    meaning:
      'The last availability check for this address did not return this product id, or the request contains two main lines.',
    remedy: 'Use product ids from the availability check: at most one main line, and each add-on once.',
  },
  broadband_products_required: {
    status: 422,
    title: 'The quote has no broadband line yet',
    meaning:
      'The quote has nothing but broadband without a main line, the request adds add-ons without a main line, or this step requires a broadband product on the quote.',
    remedy:
      'Add a line with POST /Quotes/{id}/add-broadband-products, or continue without broadband by selecting another package.',
  },
  install_date_not_available: {
    status: 422,
    title: 'Broadband cannot be installed on this day',
    meaning: 'The provider offers no installation on the date you sent.',
    remedy: 'Choose one of the dates in `availableDates` from GET /Quotes/{id}/get-bb-install-dates.',
  },
  personal_information_required: {
    status: 422,
    title: "The customer's personal information is missing",
    meaning: "This step requires the customer's personal information.",
    remedy: 'Submit it first with POST /Customers/{id}/finalise-personal-information.',
  },
  customer_under_18: {
    status: 422,
    title: 'The customer is under 18',
    meaning: 'The customer must be 18 or older on the day of submission.',
    remedy: 'Check the date of birth. A person under 18 cannot be part of the contract.',
  },
  customer_details_refused: {
    status: 422,
    title: "The payment processor does not accept the customer's details",
    meaning: 'The payment processor rejects a detail of the customer, which `errors` names.',
    remedy: 'Correct it with PATCH /Customers/{id}, then create the setup intent again.',
  },
  psr_contact_required: {
    status: 422,
    title: 'The Priority Services Register requires an authorised contact',
    meaning: 'If hasPsr is true, you must send the details of an authorised contact.',
    remedy: 'Send psrDetails.authorisedContact with firstName, lastName, relationship, phone and consentGiven: true.',
  },
  ...contractErrorResponses,
  ...webhookErrorResponses,
  ...operatorErrorResponses,
  idempotency_key_reused: {
    status: 422,
    title: 'This Idempotency-Key was used for a different request',
    meaning: `In the last ${timeInWords(storedResponseSeconds)}, the key was used with a different path or body.`,
    remedy: 'Use a new key for each new request. Reuse a key only to repeat the identical request.',
  },
}

/** All error codes, in the table's order. */
// Safe: the table's type has exactly these keys.
export const errorCodes = Object.keys(errorResponses) as readonly ErrorCode[]

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorResponses, text)
}
