import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { DomainError } from '../../domain/kernel/errors.ts'

/** Counts calls by a key and tells the caller where it stands, in the fields of the IETF RateLimit header draft. */
export interface RateLimit {
  /** Counts one call. Sets the headers on every limited answer; throws `rate_limited` when the quota is used up. */
  consume(key: string, reply: FastifyReply): Promise<void>
}

const unlimited: RateLimit = { consume: () => Promise.resolve() }

/** `quota` calls in each window of `windowSeconds`; a quota of 0 turns the limit off. */
export function createRateLimit(name: string, quota: number, windowSeconds: number): RateLimit {
  if (quota === 0) return unlimited
  const limiter = new RateLimiterMemory({ points: quota, duration: windowSeconds })
  const policy = `"${name}";q=${quota};w=${windowSeconds}`
  return {
    async consume(key, reply) {
      const outcome = await limiter.consume(key).catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal
        throw refusal
      })
      const resetSeconds = Math.max(1, Math.ceil(outcome.msBeforeNext / 1000))
      reply.header('RateLimit-Policy', policy)
      reply.header('RateLimit', `"${name}";r=${outcome.remainingPoints};t=${resetSeconds}`)
      if (outcome.consumedPoints > quota) {
        throw new DomainError(
          'rate_limited',
          `More than ${quota} calls in ${windowSeconds} s. Wait ${resetSeconds} s, then go on more slowly.`,
          {
            retryAfterSeconds: resetSeconds,
          },
        )
      }
    },
  }
}
