import { createHash } from 'node:crypto'
import { createClient } from '@redis/client'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import type { CallCounters } from '../../domain/rate-limits/call-counter.ts'
import { createMemoryCounters } from './memory.ts'

interface RedisOptions {
  /** `redis://` or `rediss://`, perhaps with credentials. */
  url: string
  /** Processes of one deployment share it; another deployment on the same Redis has another. */
  deployment: string
  log: { warn(facts: object, message: string): void; info(message: string): void }
  /** A call waits this long before it is counted here. */
  answerWithinMs?: number
}

/** After a failure Redis is left alone for so long: calls are counted here without waiting. */
const restMs = 1_000
/** How long a start waits for the first connection. */
const firstConnectionMs = 2_000

/**
 * Counts in Redis, exactly, for every process that names the same one. Where Redis does not answer, calls are counted in this
 * process alone: its limit is then each process's, no call fails for it, and the log says so once, as it does when Redis is back.
 */
export async function connectRedisCounters({
  url,
  deployment,
  log,
  answerWithinMs = 250,
}: RedisOptions): Promise<{ counters: CallCounters; close(): Promise<void> }> {
  const prefix = `housebill:${createHash('sha256').update(deployment).digest('base64url').slice(0, 12)}`
  const own = createMemoryCounters()
  let isShared = true
  let leftAloneUntil = 0

  function lose(error: unknown): void {
    leftAloneUntil = performance.now() + restMs
    if (!isShared) return
    isShared = false
    log.warn({ err: error }, 'Redis unavailable; each process counts requests separately until it is back')
  }
  function regain(): void {
    if (isShared) return
    isShared = true
    log.info('Redis available again; processes share their rate limits')
  }

  async function ask<Result>(inRedis: () => Promise<Result>, here: () => Promise<Result>): Promise<Result> {
    if (!current.client.isReady || performance.now() < leftAloneUntil) return here()
    const asked = current
    try {
      const result = await withinTime(inRedis(), answerWithinMs)
      regain()
      return result
    } catch (error) {
      lose(error)
      // Of the calls that waited together one makes the new connection.
      if (error instanceof NoAnswer && asked === current) connectAnew()
      return here()
    }
  }

  /** A client connects again by itself where its connection breaks; what the library's limiter uses of it is handed through. */
  let current = openClient(url, loseIfCurrent)
  const storeClient = {
    eval: (...args: Parameters<typeof current.client.eval>) => current.client.eval(...args),
    multi: () => current.client.multi(),
  }
  function loseIfCurrent(error: unknown, client: unknown): void {
    if (client === current.client) lose(error)
  }
  /** A connection that is silent may be so for a quarter of an hour before the network says that it is broken. */
  function connectAnew(): void {
    const silent = current
    current = openClient(url, loseIfCurrent)
    silent.client.destroy()
  }
  await withinTime(current.connected, firstConnectionMs).catch(lose)

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
            ask(
              async () => {
                const { consumedPoints, msBeforeNext } = await limiter.penalty(key, points)
                return { total: consumedPoints, msLeft: msBeforeNext }
              },
              () => fallback.add(key, points),
            ),
          read: (key) =>
            ask(
              async () => {
                const found = await limiter.get(key)
                return { total: found?.consumedPoints ?? 0, msLeft: found?.msBeforeNext ?? windowSeconds * 1000 }
              },
              () => fallback.read(key),
            ),
        }
      },
    },
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
    // What every Redis and its relatives speak; nothing here needs more.
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    socket: {
      connectTimeout: firstConnectionMs,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, restMs),
    },
  })
  // Without a listener an error would end the process.
  client.on('error', (error) => onError(error, client))
  const connected = client.connect()
  // It fails only where the client is closed before it ever had a connection: nobody waits for one then.
  connected.catch(() => undefined)
  return { client, connected }
}

class NoAnswer extends Error {}

/** Throws `NoAnswer` where none comes in time. What has come while this process was busy elsewhere is read first. */
async function withinTime<Result>(answer: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new NoAnswer(`no response within ${ms} ms`))), ms)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
