import { errorCodes } from '../http/errors/error-responses.ts'
import type { Operation } from '../http/route.ts'
import type { ErrorCode } from '../kernel/errors.ts'

/** The error codes that every operation with a token can return. */
const sharedCodes: readonly ErrorCode[] = [
  'invalid_request',
  'unauthenticated',
  'insufficient_scope',
  'address_not_allowed',
  'partner_suspended',
  'not_acceptable',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'rate_limited',
  'internal_error',
  'service_unavailable',
]
const bodyCodes: readonly ErrorCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type']
const idempotencyCodes: readonly ErrorCode[] = ['idempotency_in_flight', 'idempotency_key_reused']

/** Every error code an operation can return, in the table's order. */
export function documentedCodes(route: Pick<Operation, 'method' | 'path' | 'errors'>): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...sharedCodes,
    ...(route.path.includes('{') ? (['not_found'] as const) : []),
    ...(route.method === 'GET' ? [] : bodyCodes),
    ...(route.method === 'POST' ? idempotencyCodes : []),
    ...route.errors,
  ])
  return errorCodes.filter((code) => codes.has(code))
}
