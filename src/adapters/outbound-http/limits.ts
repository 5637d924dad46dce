/**
 * How long and how much one outside system is given. Times in milliseconds. The client's own clock for headers and
 * body ticks twice a second, so those two may come up to a second late; attempt and deadline are exact.
 */
export interface UpstreamLimits {
  /** Until a connection stands, TLS included. */
  connectMs: number
  /** From the request until the answer's headers. */
  headersMs: number
  /** Between two pieces of the answer's body. */
  bodyMs: number
  /** One try from start to end: what holds against an endless trickle. */
  attemptMs: number
  /** The whole call: waiting for a slot, all tries and the pauses between them. */
  deadlineMs: number
  /** Bytes of an answer's body. */
  maxBytes: number
  /** Further tries after a first failed one, for calls that are safe to repeat. */
  retries: number
  /** The longest pause before another try; the pauses grow up to it, with jitter. */
  maxPauseMs: number
  /** Calls under way at once; further ones wait, up to `queue` of them. */
  concurrency: number
  queue: number
  /** Failures in a row that open the circuit breaker: see `outage-evidence`. Infinity: it never opens. */
  failuresToOpen: number
  /** How long an open breaker keeps calls back before it lets one through to see. */
  halfOpenAfterMs: number
}

/** Fits a caller who may wait 10 seconds in all. */
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
