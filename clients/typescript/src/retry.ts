import { ApiError, ConnectionError, type HousebillError } from './errors.ts'

/** How calls are retried. */
export interface RetryPolicy {
  /** How often a call is repeated after its first attempt. */
  maxRetries: number
  /** The longest pause before the first retry, in milliseconds. It doubles with each further one. */
  firstPauseMs: number
  /**
   * The longest pause, in milliseconds. If the server asks for a longer one, the call fails at once, and you decide.
   */
  longestPauseMs: number
}

export const defaultRetryPolicy: RetryPolicy = { maxRetries: 4, firstPauseMs: 500, longestPauseMs: 30_000 }

/**
 * The pause in milliseconds before a failed call is repeated; undefined if it must not be. `retries` is how often it
 * was repeated already, and `random` is from 0 to 1.
 *
 * Every operation can be repeated safely: a POST has an idempotency key, and repeating any other changes nothing more.
 */
export function pauseBeforeRetry(
  error: HousebillError,
  retries: number,
  { maxRetries, firstPauseMs, longestPauseMs }: RetryPolicy,
  random: number,
): number | undefined {
  if (retries >= maxRetries || !isTemporary(error)) return undefined
  const jitter = Math.min(longestPauseMs, firstPauseMs * 2 ** retries) * random
  if (error.retryAfterSeconds === undefined) return jitter
  const askedMs = error.retryAfterSeconds * 1_000
  // Programs that were refused together must not return together.
  return askedMs > longestPauseMs ? undefined : askedMs + jitter
}

function isTemporary(error: HousebillError): boolean {
  const { status } = error
  if (status === undefined) return error instanceof ConnectionError
  return status === 408 || status === 429 || status >= 500 || isInFlight(error)
}

/** An earlier attempt with the same key is still being handled. */
function isInFlight(error: HousebillError): boolean {
  return error instanceof ApiError && error.code === 'idempotency_in_flight'
}

/** The seconds of a `Retry-After` header, which can be a number or an HTTP date; undefined if it is neither. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1_000)
}
