import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { CallCounters } from './call-counter.ts'

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
