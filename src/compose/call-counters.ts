import type { Logger } from 'pino'
import { createMemoryCounters } from '../adapters/call-counter/memory.ts'
import { connectRedisCounters } from '../adapters/call-counter/redis.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { CallCounters } from '../domain/rate-limits/call-counter.ts'

/** Where limits are counted: in the Redis that REDIS_URL names, or in this process. */
export async function openCallCounters({
  config,
  secrets,
  log,
}: {
  config: Config
  secrets: Secrets
  log: Logger
}): Promise<{ counters: CallCounters; close(): Promise<void> }> {
  if (secrets.redisUrl === undefined) return { counters: createMemoryCounters(), close: () => Promise.resolve() }
  // The issuer of tokens is the deployment's own: every process of it has the same.
  return connectRedisCounters({ url: secrets.redisUrl, deployment: config.auth.issuer, log })
}
