import type { VariableReader } from './parse.ts'

/** Rate limits; 0 means unlimited. */
export interface RateLimitsConfig {
  /** The limit on requests by each partner. */
  requestsPerSecond: number
  /** The limit on token requests by each client. */
  tokensPerMinute: number
  /** The limit for each partner on checks that call an upstream. */
  broadbandChecksPerMinute: number
}

/**
 * A check keeps an upstream busy for seconds, so by default only one in twenty of a partner's requests can be a check.
 */
const checksForEachCallPerSecond = 3

export function readRateLimits(read: VariableReader): RateLimitsConfig {
  const range = { min: 0, max: 1_000_000 }
  const requestsPerSecond = read.integer('RATE_LIMIT_PER_SECOND', 100, range)
  return {
    requestsPerSecond,
    tokensPerMinute: read.integer('TOKEN_RATE_LIMIT_PER_MINUTE', 60, range),
    broadbandChecksPerMinute: read.integer(
      'BROADBAND_CHECK_LIMIT_PER_MINUTE',
      checksForEachCallPerSecond * requestsPerSecond,
      range,
    ),
  }
}

/** Lists what is wrong with REDIS_URL. Never quotes the URL, because it may hold a password. */
export function redisProblems(read: VariableReader): string[] {
  const given = read.text('REDIS_URL')
  if (given === undefined) return []
  const parsed = URL.parse(given)
  const isRedis = parsed !== null && ['redis:', 'rediss:'].includes(parsed.protocol) && parsed.hostname !== ''
  // The path can only be the number of a Redis database.
  const isWhole = isRedis && /^(\/\d{0,4})?$/.test(parsed.pathname) && parsed.search === '' && parsed.hash === ''
  return isWhole ? [] : ['REDIS_URL must be of the form redis://user:password@host:port/0, or rediss:// for TLS']
}
