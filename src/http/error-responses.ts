import type { ErrorCode } from '../kernel/errors.ts'
import type { ErrorResponse } from './error-response.ts'
import { webhookErrorResponses } from './webhook-error-responses.ts'

/**
 * The one table of error codes, their statuses and documentation (docs/api-behaviour.md#errors). A missing code does
 * not compile.
 */
export const errorResponses: Record<ErrorCode, ErrorResponse> = {
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON',
    meaning: 'The request body could not be read as JSON, or it is not encoded in UTF-8.',
    remedy: 'Send one JSON value, serialised by a JSON library, with Content-Type: application/json.',
  },
  invalid_request: {
    status: 400,
    title: 'The request does not have the right shape',
    meaning:
      'A required field or parameter is missing, an unknown one was sent, or a value has the wrong JSON type. `errors` lists every one of them, format errors included.',
    remedy: 'Correct each field named in `errors` and send the request again.',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid access token is needed',
    meaning:
      'The Authorization header is missing or malformed, or its token has expired, was not issued for this service, or belongs to a partner that is disabled.',
    remedy: 'Get a new token from POST /partner-api/Auth/token and send it as "Authorization: Bearer <token>".',
  },
  insufficient_scope: {
    status: 403,
    title: 'The token lacks the scope for this call',
    meaning: 'The token is valid, but its credentials were not given the scope that this operation needs.',
    remedy: 'Use credentials with the scope named in `detail`, or ask the operator to grant it.',
  },
  not_found: {
    status: 404,
    title: 'Nothing here has this id',
    meaning:
      'The path does not exist, or the id in it is unknown. An id that belongs to another partner is answered in exactly the same way.',
    remedy:
      'Check the path and the id, and that the id was created with credentials of the same partner and environment.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not take that method',
    meaning: 'The path exists, but not for the HTTP method used.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  not_acceptable: {
    status: 406,
    title: 'The answer would be JSON, which the Accept header refuses',
    meaning: 'Every operation answers application/json; the Accept header of the request leaves that out.',
    remedy: 'Send "Accept: application/json", or no Accept header.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is larger than 64 KiB',
    meaning: 'No operation takes a body of more than 65,536 bytes.',
    remedy: 'Send a smaller body.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be JSON',
    meaning: 'This operation reads a JSON body and the Content-Type names something else.',
    remedy: 'Send the body as JSON with "Content-Type: application/json".',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    meaning: 'Headers or body came too slowly, and the connection was closed. Nothing was done.',
    remedy: 'Send the request again on a new connection, in one go.',
  },
  uri_too_long: {
    status: 414,
    title: 'The URL is too long',
    meaning: 'First line and headers of a request may have 16,384 bytes in all, and the URL alone has more.',
    remedy: 'Send a shorter URL; no operation needs a long one.',
  },
  headers_too_large: {
    status: 431,
    title: 'There are too many headers, or they are too large',
    meaning: 'A request may have 100 header fields, of 16,384 bytes in all with its first line.',
    remedy: 'Leave out headers this service does not need, such as cookies.',
  },
  idempotency_in_flight: {
    status: 409,
    title: 'A request with this Idempotency-Key is still being worked on',
    meaning: 'An earlier request with the same Idempotency-Key has not finished yet.',
    remedy: 'Wait for the number of seconds in Retry-After and send the same request again.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning:
      "The number of requests allowed in this window is used up: of the partner, of the partner's broadband checks, or for tokens of the client or the address. The RateLimit headers say which.",
    remedy:
      'Wait for the number of seconds in Retry-After, then go on more slowly; back off exponentially. Reuse a token until it expires.',
  },
  service_unavailable: {
    status: 503,
    title: 'Something this call depends on is down',
    meaning: 'The database or an outside system needed for this call cannot be reached. Nothing half-done was kept.',
    remedy:
      'Retry the same request after the number of seconds in Retry-After, with the same Idempotency-Key for a POST.',
  },
  internal_error: {
    status: 500,
    title: 'A fault on our side',
    meaning: 'The service failed in a way it should not have. The fault is logged under the requestId.',
    remedy: 'Retry once; if it happens again, report the requestId to the operator.',
  },
  validation_failed: {
    status: 422,
    title: 'A value is refused',
    meaning:
      'The request has the right shape, but a value is out of range, in the wrong format or against a rule. `errors` lists every one of them.',
    remedy: 'Correct each field named in `errors` as its detail says.',
  },
  address_not_found: {
    status: 422,
    title: 'No property has this addressUid',
    meaning: 'The addressUid in the body does not name a property that can be quoted.',
    remedy: 'Look the property up with GET /Addresses/lookup and use the addressUid it answers.',
  },
  address_not_serviceable: {
    status: 422,
    title: 'This property cannot be supplied',
    meaning: 'The property exists, but its distribution region is unknown or has no prices.',
    remedy: 'Choose another property; where the meter number is wrong or missing, ask the operator to correct it.',
  },
  quoting_tool_version_not_found: {
    status: 422,
    title: 'This quoting tool version is not on sale',
    meaning: 'The quotingToolVersionId is unknown, or the version may not be sold today.',
    remedy: 'Choose an id from GET /Quotes/quoting-tool-versions, or leave the field out for the default.',
  },
  package_not_available: {
    status: 422,
    title: 'A package is not available for this quote',
    meaning:
      'A package id is unknown, is not offered for this property (no gas without a gas meter, no electricity without an electricity meter), or is the second of its type.',
    remedy: "Use ids from the quote's packages, at most one of each type; replace a selection with update-packages.",
  },
  duplicate_tenant: {
    status: 422,
    title: 'Two tenants have the same e-mail address',
    meaning: 'Each tenant of a quote needs an e-mail address of their own; letter case does not count.',
    remedy: 'Give each tenant a different e-mail address.',
  },
  too_many_tenants: {
    status: 422,
    title: 'More than twelve tenants',
    meaning: 'A quote can have up to 12 tenants.',
    remedy: 'Remove tenants with remove-tenants, or make a second quote.',
  },
  quote_expired: {
    status: 422,
    title: 'The quote has expired',
    meaning: "The quote's prices are no longer offered.",
    remedy:
      'Call GET /Quotes/{id}/total-cost: it fetches new prices and extends the expiry. Show them to the tenants, then go on.',
  },
  quote_locked: {
    status: 422,
    title: 'The quote can no longer be changed',
    meaning: 'A tenant has begun to set up payment, so packages, tenants, broadband, dates and prices are fixed.',
    remedy: 'Use POST /Quotes/{id}/reopen while nobody has completed onboarding, or make a new quote.',
  },
  quote_cancelled: {
    status: 422,
    title: 'The quote was cancelled',
    meaning: 'A cancelled quote takes no further steps.',
    remedy: 'Make a new quote for the property.',
  },
  packages_required: {
    status: 422,
    title: 'The quote has no packages yet',
    meaning: 'This step needs at least one selected package.',
    remedy: 'Select packages with POST /Quotes/{id}/add-packages first.',
  },
  tenants_required: {
    status: 422,
    title: 'The quote has no tenants yet',
    meaning: 'This step needs at least one tenant.',
    remedy: 'Add tenants with POST /Quotes/{id}/add-tenants first.',
  },
  broadband_check_required: {
    status: 422,
    title: 'Broadband availability has not been checked',
    meaning:
      'Products can only be added after a check for this address in the last 24 hours that could tell which products there are.',
    remedy:
      'Call GET /Quotes/run-broadband-availability-check/{uid} with the addressUid; if the home telecom provider failed, run it again later.',
  },
  broadband_product_not_available: {
    status: 422,
    title: 'A broadband product is not available here',
    meaning:
      'A product id is not among those the last check found for this address, or two main lines were chosen at once.',
    remedy: 'Use product ids from the availability check: at most one line, and each add-on once.',
  },
  broadband_products_required: {
    status: 422,
    title: 'The broadband package has no product yet',
    meaning: 'Broadband is selected without a product, or the step needs broadband products on the quote.',
    remedy:
      'Add a product with POST /Quotes/{id}/add-broadband-products, or drop the broadband package with update-packages.',
  },
  personal_information_required: {
    status: 422,
    title: "The customer's personal information is missing",
    meaning: 'This step needs the personal information of the customer.',
    remedy: 'Submit it with POST /Customers/{id}/finalise-personal-information first.',
  },
  customer_under_18: {
    status: 422,
    title: 'The customer is under 18',
    meaning: 'A customer must have reached their 18th birthday on the day of submission.',
    remedy: 'Correct the date of birth; someone under 18 cannot take part in the contract.',
  },
  psr_contact_required: {
    status: 422,
    title: 'An authorised contact is needed for the Priority Services Register',
    meaning: 'With hasPsr true, the details of an authorised contact are required.',
    remedy: 'Send psrDetails.authorisedContact with firstName, lastName, relationship, phone and consentGiven: true.',
  },
  payment_setup_incomplete: {
    status: 422,
    title: 'Payment has not been set up',
    meaning: "The customer's setup intent has not succeeded.",
    remedy:
      'Create a setup intent, let the customer enter a card with its clientSecret, and accept the terms once it has succeeded.',
  },
  onboarding_incomplete: {
    status: 422,
    title: 'The customer has not completed onboarding',
    meaning: 'Contract documents exist from the moment the customer accepts the terms.',
    remedy: 'Complete the steps up to POST /Customers/{id}/accept-terms first.',
  },
  already_onboarded: {
    status: 422,
    title: 'Onboarding is complete',
    meaning:
      'The customer, or a customer of this quote, has accepted the terms; what was agreed cannot be changed any more.',
    remedy: 'Leave the contract as it is; for another arrangement make a new quote.',
  },
  contract_running: {
    status: 422,
    title: "The customer's contract is running",
    meaning: 'The customer has accepted the terms and the contract has not ended: its performance needs their data.',
    remedy: 'Erase the customer after the contract has ended, or ask the operator.',
  },
  customer_erased: {
    status: 422,
    title: "The customer's data were erased",
    meaning: 'Nothing of the person is kept here any more, so that no further step can be taken for them.',
    remedy: 'Remove the tenant with POST /Quotes/{id}/remove-tenants, or make a new quote.',
  },
  ...webhookErrorResponses,
  idempotency_key_reused: {
    status: 422,
    title: 'This Idempotency-Key belongs to another request',
    meaning: 'The key was used in the last 7 days with another path or body.',
    remedy: 'Use a new key for each new request, and the same key only to repeat one unchanged.',
  },
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorResponses, text)
}
