import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientAddressOf } from '../../platform/http/client-address.ts'
import { networkOf } from '../../platform/http/plugins/network-of.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import {
  type CallCount,
  type CallCounters,
  callsLeft,
  type LimitPolicy,
  secondsLeft,
} from '../../platform/rate-limits/call-counter.ts'

/** Counts calls by key and reports the count to the caller in the RateLimit header fields of the IETF draft. */
export interface RateLimit {
  /**
   * Counts one call. Sets the headers on every limited response; throws `rate_limited` when the quota is used up.
   * `quota` is one of the key's own.
   */
  consume(key: string, reply: FastifyReply, quota?: number | null): Promise<void>
  /** Counts more calls for a request that was let through and does the work of several. Rejects nothing by itself. */
  charge(key: string, reply: FastifyReply, cost: { calls: number; quota?: number | null }): Promise<void>
  /**
   * Returns the error of a used-up quota and sets its headers, without counting anything. If the limit is off, as if it
   * were one call.
   */
  reject(reply: FastifyReply, quota?: number | null): DomainError
}

/** A quota of 0 turns the limit off, except for keys with a quota of their own. */
export function createRateLimit(policy: LimitPolicy, counters: CallCounters): RateLimit {
  const counter = counters.open(policy)
  return {
    async consume(key, reply, quota) {
      const own = { ...policy, quota: quota ?? policy.quota }
      if (own.quota === 0) return
      const count = await counter.add(key, 1)
      setRateLimitHeaders(reply, own, count)
      if (count.total > own.quota) throw rateLimitExceeded(own, count)
    },
    async charge(key, reply, { calls, quota }) {
      const own = { ...policy, quota: quota ?? policy.quota }
      if (own.quota !== 0 && calls > 0) setRateLimitHeaders(reply, own, await counter.add(key, calls))
    },
    reject(reply, quota) {
      const own = { ...policy, quota: Math.max(1, quota ?? policy.quota) }
      const count = { total: own.quota + 1, msLeft: own.windowSeconds * 1_000 }
      setRateLimitHeaders(reply, own, count)
      return rateLimitExceeded(own, count)
    },
  }
}

/** What one file with everything, such as an export, counts as: about the work of so many calls. */
export const callsOfFile = 20

/** Counts a request of an address. Throws `rate_limited`. */
export type CountAddress = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Counts requests by the network of their sender; one for a list as a file (`?format=csv`) as several. */
export function limitByAddress(limit: RateLimit, cipher: Pick<FieldCipher, 'hash'>): CountAddress {
  return async (request, reply) => {
    const key = cipher.hash(networkOf(clientAddressOf(request)))
    await limit.consume(key, reply)
    const { format } = request.query as { format?: unknown }
    if (format === 'csv') await limit.charge(key, reply, { calls: callsOfFile - 1 })
  }
}

/**
 * A short window is not shorter than this, or than the time of this many calls, so that what one page needs fits into
 * it.
 */
const [shortestWindowSeconds, fewestCallsInWindow] = [6, 10]

/**
 * The policy for at most `callsPerMinute` calls a minute on average, in short windows: at the edge between two windows,
 * a caller can use both quotas at once, so a whole minute's window would let through a burst of two minutes' calls.
 */
export function policyWithoutBursts(name: string, callsPerMinute: number): LimitPolicy {
  const neededSeconds = Math.ceil((fewestCallsInWindow * 60) / callsPerMinute)
  // Two windows of more than half a minute would allow more calls in a minute than one whole minute's.
  const windowSeconds = neededSeconds > 30 ? 60 : Math.max(shortestWindowSeconds, neededSeconds)
  return { name, quota: Math.floor((callsPerMinute * windowSeconds) / 60), windowSeconds }
}

/**
 * Adds a limit to the `RateLimit-Policy` and `RateLimit` headers. If several limits count a call, each is an item in
 * these lists (RFC 9651 §3.1). If a limit is added again, its new item replaces the earlier one.
 */
export function setRateLimitHeaders(reply: FastifyReply, policy: LimitPolicy, count: CallCount): void {
  const name = `"${policy.name}"`
  setListItem(reply, 'RateLimit-Policy', name, `${name};q=${policy.quota};w=${policy.windowSeconds}`)
  setListItem(reply, 'RateLimit', name, `${name};r=${callsLeft(policy, count)};t=${secondsLeft(count)}`)
}

function setListItem(reply: FastifyReply, header: string, name: string, item: string): void {
  const current = String(reply.getHeader(header) ?? '')
  const others = current.split(', ').filter((each) => each !== '' && !each.startsWith(`${name};`))
  reply.header(header, [...others, item].join(', '))
}

/** The error for a 429, with the time to wait. */
export function rateLimitExceeded(policy: LimitPolicy, count: CallCount): DomainError {
  const wait = secondsLeft(count)
  return new DomainError(
    'rate_limited',
    `More than ${policy.quota} requests in ${policy.windowSeconds} s. Wait ${wait} s, then retry more slowly.`,
    { retryAfterSeconds: wait },
  )
}
