import type { Logger } from 'pino'
import type { Config } from '../platform/config/config.ts'
import { ConfigurationError } from '../platform/config/problems.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import { type CallCounters, createMemoryCounters } from '../platform/rate-limits/call-counter.ts'

export interface OpenedCounters {
  counters: CallCounters
  /** Whether the processes share their counts at the moment; absent without Redis. */
  isShared?(): boolean
  close(): Promise<void>
}

/** Counts calls for rate limits: in Redis if REDIS_URL is set, otherwise in this process. */
export async function openCallCounters({
  config,
  secrets,
  log,
}: {
  config: Pick<Config, 'auth' | 'realm'>
  secrets: Pick<Secrets, 'redisUrl'>
  log: Logger
}): Promise<OpenedCounters> {
  if (secrets.redisUrl === undefined) return { counters: createMemoryCounters(), close: () => Promise.resolve() }
  // Loaded only if it is used: a Redis client takes a noticeable part of the time and memory of a start.
  const { connectRedisCounters, RedisPasswordRejected } = await import('../platform/rate-limits/redis.ts')
  return connectRedisCounters({
    url: secrets.redisUrl,
    // All processes of a deployment share one token issuer, so it identifies the deployment.
    deployment: config.auth.issuer,
    log,
    requirePassword: config.realm === 'live',
  }).catch((error: unknown) => {
    if (!(error instanceof RedisPasswordRejected)) throw error
    throw new ConfigurationError([
      'REDIS_URL: Redis rejected the user name or password; correct them, or remove the setting',
    ])
  })
}
