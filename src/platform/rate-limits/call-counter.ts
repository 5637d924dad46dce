import { RateLimiterMemory } from 'rate-limiter-flexible'

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
interface CallCounter {
  /**
   * Adds `points` and returns the new total. Negative points undo earlier ones. No two concurrent calls return the same
   * total.
   */
  add(key: string, points: number): Promise<CallCount>
  /** Reads the count without changing it or starting a window. */
  read(key: string): Promise<CallCount>
}

/** Creates counters. */
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

/** Counts in this process's memory. The counts are lost when the process ends. */
export function createMemoryCounters(): CallCounters {
  return {
    open({ name, quota, windowSeconds }) {
      const limiter = new RateLimiterMemory({ keyPrefix: name, points: quota, duration: windowSeconds })
      return {
        async add(key, points) {
          const { consumedPoints, msBeforeNext } = await limiter.penalty(key, points)
          return { total: consumedPoints, msLeft: msBeforeNext }
        },
        async read(key) {
          const found = await limiter.get(key)
          return { total: found?.consumedPoints ?? 0, msLeft: found?.msBeforeNext ?? windowSeconds * 1000 }
        },
      }
    },
  }
}
