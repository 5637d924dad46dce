import type { VariableReader } from './parse.ts'

/** How many calls are taken; 0 for any number. */
export interface RateLimitsConfig {
  /** Of a partner. */
  requestsPerSecond: number
  /** Of a client. */
  tokensPerMinute: number
  /** Of a partner, those for which an upstream is asked. */
  broadbandChecksPerMinute: number
}

/** An upstream takes seconds over a check: by default one in twenty of a partner's calls may be one. */
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

/** Never quotes the URL: it may hold a password. */
export function redisProblems(read: VariableReader): string[] {
  const given = read.text('REDIS_URL')
  if (given === undefined) return []
  const parsed = URL.parse(given)
  const isRedis = parsed !== null && ['redis:', 'rediss:'].includes(parsed.protocol) && parsed.hostname !== ''
  // The path names a database by its number.
  const isWhole = isRedis && /^(\/\d{0,4})?$/.test(parsed.pathname) && parsed.search === '' && parsed.hash === ''
  return isWhole ? [] : ['REDIS_URL must be of the form redis://user:password@host:port/0, or rediss:// for TLS']
}
