/**
 * How a call to an outside system failed.
 * - `unreachable`: refused, not resolved, no TLS: nothing was answered
 * - `timeout`: no answer, or not all of it, in time
 * - `dropped`: the connection ended inside the answer
 * - `status`, `redirect`: answered with a status that is no answer to the question
 * - `not-json`, `wrong-shape`, `too-large`: answered with something that cannot be used
 * - `circuit-open`: not called: the circuit breaker is open after recent failures
 * - `overloaded`: not called: too many calls are waiting already
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
  /** The upstream's own wish (`Retry-After`). */
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/**
 * What a port throws when its outside system gave no usable answer. The message is for the operator's log: it names
 * the upstream, the path and what happened, never a query, a body or a credential. It is not for partners, as it may
 * tell of systems they know nothing about.
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
