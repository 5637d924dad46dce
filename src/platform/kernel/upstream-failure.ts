import { DomainError } from './errors.ts'

/**
 * How a call to an upstream failed.
 * - `unreachable`: connection refused, name not resolved or TLS failed
 * - `timeout`: no response, or an incomplete one, within the time limit
 * - `dropped`: the connection ended in the middle of the response
 * - `status`, `redirect`: a status we cannot use
 * - `not-json`, `wrong-shape`, `too-large`: a body we cannot use
 * - `circuit-open`: not called; the circuit breaker is open after recent failures
 * - `overloaded`: not called; too many calls are already waiting
 */
export const upstreamFailureKinds = [
  'unreachable',
  'timeout',
  'dropped',
  'status',
  'redirect',
  'not-json',
  'wrong-shape',
  'too-large',
  'circuit-open',
  'overloaded',
] as const
export type UpstreamFailureKind = (typeof upstreamFailureKinds)[number]

interface UpstreamFailureOptions {
  statusCode?: number | undefined
  /** The delay that the upstream requested (`Retry-After`). */
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/**
 * What a port throws when its upstream gave no usable response. The message is for the operator's log: it names the
 * upstream, the path and the failure, never a query, a body or a credential. Do not show it to partners: it can name
 * internal systems.
 */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  readonly upstream: string
  readonly kind: UpstreamFailureKind
  readonly statusCode: number | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(upstream: string, kind: UpstreamFailureKind, reason: string, options: UpstreamFailureOptions = {}) {
    super(`${upstream}: ${reason}`, options.cause === undefined ? undefined : { cause: options.cause })
    this.upstream = upstream
    this.kind = kind
    this.statusCode = options.statusCode
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/**
 * Whether the upstream judged this one request and rejected it, so that others may succeed: not a failure of the
 * upstream (5xx), nor a rejection of our credentials (401, 403), nor a request for patience (409, 429).
 */
function isRejection(failure: unknown): boolean {
  return (
    failure instanceof UpstreamFailure &&
    failure.kind === 'status' &&
    failure.statusCode !== undefined &&
    failure.statusCode < 500 &&
    ![401, 403, 409, 429].includes(failure.statusCode)
  )
}

/**
 * Whether an operation failed because something that it needs is of no use at present, so that others would fail too. A
 * rejection that concerns only its own request is not that.
 */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'service_unavailable' && !isRejection(error.cause)
}

/**
 * Reads a `Retry-After` header (a number of seconds or an HTTP date) as seconds from now; undefined if it is neither.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  // Accept only dates in the format of RFC 9110; Date.parse alone accepts almost anything.
  if (!/^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000)
}
