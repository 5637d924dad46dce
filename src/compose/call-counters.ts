import type { Logger } from 'pino'
import { createMemoryCounters } from '../adapters/call-counter/memory.ts'
import { connectRedisCounters } from '../adapters/call-counter/redis.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { CallCounters } from '../domain/rate-limits/call-counter.ts'

/** Counts calls for rate limits: in Redis if REDIS_URL is set, otherwise in this process. */
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
  // All processes of a deployment share one token issuer, so it identifies the deployment.
  return connectRedisCounters({ url: secrets.redisUrl, deployment: config.auth.issuer, log })
}
