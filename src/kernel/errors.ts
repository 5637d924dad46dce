import { closestMatch } from 'leven'

/**
 * Every error code a request can return, as one closed union. `http/error-responses.ts` maps each code to its status, title and
 * documentation; type checking fails if a code has no entry there.
 */
export type ErrorCode =
  // the request itself
  | 'malformed_json'
  | 'invalid_request'
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'address_not_allowed'
  | 'partner_suspended'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'request_timeout'
  | 'uri_too_long'
  | 'headers_too_large'
  | 'idempotency_in_flight'
  | 'rate_limited'
  | 'service_unavailable'
  | 'internal_error'
  // invalid values and broken rules (422)
  | 'validation_failed'
  | 'address_not_found'
  | 'address_not_serviceable'
  | 'quoting_tool_version_not_found'
  | 'package_not_available'
  | 'duplicate_tenant'
  | 'too_many_tenants'
  | 'quote_expired'
  | 'quote_locked'
  | 'quote_cancelled'
  | 'packages_required'
  | 'tenants_required'
  | 'broadband_check_required'
  | 'broadband_product_not_available'
  | 'broadband_products_required'
  | 'install_date_not_available'
  | 'personal_information_required'
  | 'customer_under_18'
  | 'customer_details_refused'
  | 'psr_contact_required'
  | 'payment_setup_incomplete'
  | 'onboarding_incomplete'
  | 'already_onboarded'
  | 'contract_running'
  | 'customer_erased'
  | 'customer_removed'
  | 'supply_request_required'
  | 'terms_changed'
  | 'terms_not_shown'
  | 'contract_not_in_force'
  | 'contract_not_cancellable'
  | 'early_exit_not_defined'
  | 'end_date_not_allowed'
  | 'replacement_not_possible'
  | 'replacement_open'
  | 'webhook_url_not_allowed'
  | 'webhook_url_unreachable'
  | 'webhook_event_unknown'
  | 'too_many_webhooks'
  | 'webhook_disabled'
  | 'idempotency_key_reused'
  // the operator API
  | 'feed_reset'
  | 'acknowledged_otherwise'
  | 'service_status_not_allowed'
  | 'payment_status_not_allowed'
  | 'rate_card_change_not_allowed'
  | 'partner_disabled'
  | 'commission_terms_not_allowed'
  | 'commission_month_open'

/** One invalid field of a request. `pointer` is a JSON pointer into the body, or has the form `/query/name` or `/path/name`. */
export interface FieldError {
  pointer: string
  code: string
  detail: string
}

interface DomainErrorOptions {
  fields?: readonly FieldError[]
  retryAfterSeconds?: number
  cause?: unknown
}

/**
 * An error meant for the caller. `detail` says how to fix it and never holds secrets or personal data: it is sent to the partner
 * and may be logged.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly fields: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, detail: string, options: DomainErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.fields = options.fields ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** What the prefix of an id says that it is the id of, in the words of `notFound`. */
const kindsByPrefix: Readonly<Record<string, string>> = {
  quote: 'quote',
  tenant: 'customer',
  webhook: 'webhook',
  delivery: 'delivery',
  replay: 'replay',
  event: 'event',
  availability: 'availability request',
  address: 'property',
  seti: 'setup intent',
}

/**
 * An error that also names the kind of the id that was sent, if it is an error of `notFound` and the id is one of another kind. Depends on the text of
 * the id alone, so it reveals nothing about what exists.
 */
export function withKindOfId(error: DomainError, sentIds: readonly string[]): DomainError {
  const [, missing] = /^No ([a-z ]+) has this id\./.exec(error.message) ?? []
  if (error.code !== 'not_found' || missing === undefined) return error
  const kinds = sentIds.map((id) => kindsByPrefix[id.split('_', 1)[0] ?? ''])
  const other = kinds.find((kind) => kind !== undefined && kind !== missing)
  return other === undefined ? error : new DomainError('not_found', `${error.message} You sent the id of a ${other}.`)
}

/** 404 for unknown ids and for other partners' ids: callers must not be able to tell them apart (docs/errors-and-retries.md). */
export function notFound(
  kind: 'quote' | 'customer' | 'webhook' | 'delivery' | 'replay' | 'event' | 'availability request' | 'setup intent',
): DomainError {
  return new DomainError(
    'not_found',
    `No ${kind} has this id. Check the id, and make sure that it was created with your credentials.`,
  )
}

/** How many letters may be wrong, missing or too many. */
const mistakes = 2

/**
 * A sentence that names what was probably meant, with a space before it; empty if no known name is like the given one, or it is no text. Letter case, underscores and
 * hyphens do not count, and a name may be given in part, such as `payment.updated`. Pure.
 */
export function suggestName(given: unknown, known: readonly string[]): string {
  if (typeof given !== 'string') return ''
  const byForm = new Map(known.map((name) => [formOf(name), name]))
  const form = formOf(given)
  const forms = [...byForm.keys()]
  const isPart = (each: string) => form.length > mistakes && (each.includes(form) || form.includes(each))
  const meant = byForm.get(closestMatch(form, forms, { maxDistance: mistakes }) ?? forms.find(isPart) ?? '')
  return meant === undefined || form.length <= mistakes ? '' : ` Did you mean ${meant}?`
}

function formOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}
