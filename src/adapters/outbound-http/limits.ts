/**
 * Time and load limits for one upstream. Times in milliseconds. undici checks its header and body timeouts twice a second, so those
 * two may be up to a second late; attempt and deadline are exact.
 */
export interface UpstreamLimits {
  /** Until connected, TLS included. */
  connectMs: number
  /** From the request to the response's headers. */
  headersMs: number
  /** Between two parts of the response's body. */
  bodyMs: number
  /** One attempt from start to end: stops an endless trickle. */
  attemptMs: number
  /** The whole call: waiting for a slot, all attempts and the pauses between them. */
  deadlineMs: number
  /** Bytes of a response's body. */
  maxBytes: number
  /** Retries after the first failed attempt, for calls that are safe to repeat. */
  retries: number
  /** The longest pause before a retry; pauses grow up to it, with jitter. */
  maxPauseMs: number
  /** Concurrent calls; up to `queue` more wait. */
  concurrency: number
  queue: number
  /** Consecutive failures that open the circuit breaker: see `outage-evidence`. Infinity: never. */
  failuresToOpen: number
  /** How long an open breaker blocks calls before it lets one through as a probe. */
  halfOpenAfterMs: number
}

/** For callers that wait at most 10 seconds. */
export const defaultLimits: Readonly<UpstreamLimits> = {
  connectMs: 2_000,
  headersMs: 4_000,
  bodyMs: 2_000,
  attemptMs: 5_000,
  deadlineMs: 9_000,
  maxBytes: 256 * 1024,
  retries: 2,
  maxPauseMs: 1_000,
  concurrency: 32,
  queue: 256,
  failuresToOpen: 5,
  halfOpenAfterMs: 5_000,
}
