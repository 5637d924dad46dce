import { createHash } from 'node:crypto'
import { createClient } from '@redis/client'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { type CallCounters, createMemoryCounters } from './call-counter.ts'

interface RedisOptions {
  /** `redis://` or `rediss://`, with credentials if needed. */
  url: string
  /** Processes of one deployment share their counts; deployments on the same Redis do not. */
  deployment: string
  log: { warn(facts: object, message: string): void; info(message: string): void }
  /**
   * Throws `RedisPasswordRejected` if the first connection is rejected because of its credentials. Otherwise only logs
   * it, like an outage.
   */
  requirePassword?: boolean
  /** How long to wait for Redis before counting in this process. */
  respondWithinMs?: number
}

/** How long to avoid Redis after a failure. Meanwhile, calls are counted in this process, without waiting for Redis. */
const pauseAfterFailureMs = 1_000
/** How long startup waits for the first connection. */
const firstConnectionMs = 2_000

/** Redis rejected the user name or the password. */
export class RedisPasswordRejected extends Error {
  override readonly name = 'RedisPasswordRejected'
}

/** How Redis names missing and wrong credentials. */
const rejectedCredentials = /^(?:WRONGPASS|NOAUTH|NOPERM|ERR invalid password|ERR .*AUTH)/

/** The counters, and whether processes share their counts at the moment. */
export interface RedisCounters {
  counters: CallCounters
  isShared(): boolean
  close(): Promise<void>
}

/**
 * Counts exactly, in Redis, across all processes of a deployment. If Redis does not respond, each process counts and
 * limits its own calls, and no call fails because of it. Logs once when Redis fails and once when it is back.
 */
export async function connectRedisCounters({
  url,
  deployment,
  log,
  requirePassword = false,
  respondWithinMs = 250,
}: RedisOptions): Promise<RedisCounters> {
  const prefix = `housebill:${createHash('sha256').update(deployment).digest('base64url').slice(0, 12)}`
  const own = createMemoryCounters()
  let isShared = true
  let leftAloneUntil = 0
  let passwordIsRejected = false

  function lose(error: unknown): void {
    leftAloneUntil = performance.now() + pauseAfterFailureMs
    if (error instanceof Error && rejectedCredentials.test(error.message)) passwordIsRejected = true
    if (!isShared) return
    isShared = false
    log.warn({ err: error }, 'Redis unavailable; each process counts requests separately until it is back')
  }
  function regain(): void {
    if (isShared) return
    isShared = true
    log.info('Redis available again; processes share their rate limits')
  }

  async function inRedisOrHere<Result>(inRedis: () => Promise<Result>, here: () => Promise<Result>): Promise<Result> {
    if (!current.client.isReady || performance.now() < leftAloneUntil) return here()
    const asked = current
    try {
      const result = await withinTime(inRedis(), respondWithinMs)
      regain()
      return result
    } catch (error) {
      lose(error)
      // If several calls time out together, only the first one reconnects.
      if (error instanceof NoResponse && asked === current) connectAnew()
      return here()
    }
  }

  /**
   * The client reconnects automatically when its connection breaks. `storeClient` passes the limiter's calls to the
   * current client.
   */
  let current = openClient(url, loseIfCurrent)
  const storeClient = {
    eval: (...args: Parameters<typeof current.client.eval>) => current.client.eval(...args),
    multi: () => current.client.multi(),
  }
  function loseIfCurrent(error: unknown, client: unknown): void {
    if (client === current.client) lose(error)
  }
  /**
   * Replaces a connection that no longer responds. The system can take a quarter of an hour to report such a connection
   * as broken.
   */
  function connectAnew(): void {
    const silent = current
    current = openClient(url, loseIfCurrent)
    silent.client.destroy()
  }
  // Without a password, Redis accepts the connection and rejects the first command.
  const first = current.connected.then(() => current.client.ping())
  await withinTime(first, firstConnectionMs).catch(lose)
  if (requirePassword && passwordIsRejected) {
    current.client.destroy()
    throw new RedisPasswordRejected('Redis rejected the user name or password')
  }

  return {
    counters: {
      open(policy) {
        const { name, quota, windowSeconds } = policy
        const limiter = new RateLimiterRedis({
          storeClient,
          useRedisPackage: true,
          keyPrefix: `${prefix}:${name}`,
          points: quota,
          duration: windowSeconds,
        })
        const fallback = own.open(policy)
        return {
          add: (key, points) =>
            inRedisOrHere(
              async () => {
                const { consumedPoints, msBeforeNext } = await limiter.penalty(key, points)
                return { total: consumedPoints, msLeft: msBeforeNext }
              },
              () => fallback.add(key, points),
            ),
          read: (key) =>
            inRedisOrHere(
              async () => {
                const found = await limiter.get(key)
                return { total: found?.consumedPoints ?? 0, msLeft: found?.msBeforeNext ?? windowSeconds * 1000 }
              },
              () => fallback.read(key),
            ),
        }
      },
    },
    isShared: () => isShared,
    async close() {
      const last = current
      isShared = false
      last.client.destroy()
    },
  }
}

function openClient(url: string, onError: (error: unknown, client: unknown) => void) {
  const client = createClient({
    url,
    // The protocol version that all versions of Redis and its forks support.
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    socket: {
      connectTimeout: firstConnectionMs,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, pauseAfterFailureMs),
    },
  })
  // Without a listener an error would end the process.
  client.on('error', (error) => onError(error, client))
  const connected = client.connect()
  // This promise rejects only if the client is closed before it has connected. In that case, nothing awaits it.
  connected.catch(() => undefined)
  return { client, connected }
}

class NoResponse extends Error {}

/**
 * Throws `NoResponse` if there is no response in time. A response that arrived in time counts even if this process was
 * too busy to read it at once.
 */
async function withinTime<Result>(response: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new NoResponse(`no response within ${ms} ms`))), ms)
  })
  try {
    return await Promise.race([response, late])
  } finally {
    clearTimeout(timer)
  }
}
