/** A rate limit: at most `quota` calls in a window that starts with the first call and lasts `windowSeconds`. */
export interface LimitPolicy {
  name: string
  quota: number
  windowSeconds: number
}

/** The points added for a key in its current window, in total, and the time left until the window ends. */
export interface CallCount {
  total: number
  /** The time until the window ends, or the full length of a window if none has started. */
  msLeft: number
}

/** Counts calls by key. Keys hold no personal data. */
export interface CallCounter {
  /**
   * Adds `points` and returns the new total. Negative points undo earlier ones. No two concurrent calls return the same
   * total.
   */
  add(key: string, points: number): Promise<CallCount>
  /** Reads the count without changing it or starting a window. */
  read(key: string): Promise<CallCount>
}

/** Creates counters, either in this process or in a store that several processes share. */
export interface CallCounters {
  open(policy: LimitPolicy): CallCounter
}

/** How many calls the limit still allows, at least 0. */
export function callsLeft({ quota }: LimitPolicy, { total }: CallCount): number {
  return Math.max(0, quota - total)
}

/** Seconds until the window ends, for response headers. At least 1, so that clients do not retry too early. */
export function secondsLeft({ msLeft }: CallCount): number {
  return Math.max(1, Math.ceil(msLeft / 1000))
}
