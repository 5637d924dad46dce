/**
 * Time and load limits for one upstream. Times are in milliseconds. undici checks its header and body timeouts twice a second, so
 * those two may end up to a second late. The limits of an attempt and of the whole call are exact.
 */
export interface UpstreamLimits {
  /** The longest time until the connection is established, including TLS. */
  connectMs: number
  /** The longest time from the request to the response's headers. */
  headersMs: number
  /** The longest pause between two parts of the response's body. */
  bodyMs: number
  /** The longest time for one attempt. Stops a response that trickles endlessly. */
  attemptMs: number
  /** The longest time for the whole call, including the wait for a slot, all attempts and the pauses between them. */
  deadlineMs: number
  /** The maximum size of a response's body in bytes. */
  maxBytes: number
  /** The maximum number of retries, for calls that are safe to repeat. */
  retries: number
  /** The longest pause before a retry. Pauses grow up to this, with jitter. */
  maxPauseMs: number
  /** The maximum number of concurrent calls; up to `queue` more can wait. */
  concurrency: number
  queue: number
  /** The number of consecutive failures that opens the circuit breaker (see `outage-evidence`); Infinity if it never opens. */
  failuresToOpen: number
  /** How long an open breaker blocks calls before it lets one through as a probe. */
  halfOpenAfterMs: number
}

/** Limits that suit callers that wait at most 10 seconds. */
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
