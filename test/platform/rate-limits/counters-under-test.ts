import { randomUUID } from 'node:crypto'
import { type CallCounters, createMemoryCounters } from '../../../src/platform/rate-limits/call-counter.ts'
import { connectRedisCounters } from '../../../src/platform/rate-limits/redis.ts'
import { findRealRedis } from '../../support/real-redis.ts'
import { startTestRedis } from '../../support/redis.ts'

/** One implementation of the counters. */
export interface CountersUnderTest {
  kind: string
  /** Creates counters as another process would. Only shared counters include the calls counted by other processes. */
  connect(): Promise<CallCounters>
  isShared: boolean
  stop(): Promise<void>
}

/** What the counters logged, in order. */
export function createRecordingLog() {
  const lines: string[] = []
  return {
    lines,
    warn: (_facts: object, message: string) => void lines.push(`warn: ${message}`),
    info: (message: string) => void lines.push(`info: ${message}`),
  }
}

/** Counters in memory, in an embedded Redis and, if one is available, in a real Redis. */
export async function allCounters(): Promise<CountersUnderTest[]> {
  const redis = await startTestRedis()
  const shared = await countersIn('an embedded Redis', redis.url, () => redis.stop())
  const memory = {
    kind: 'memory',
    connect: async () => createMemoryCounters(),
    isShared: false,
    stop: async () => undefined,
  }
  const real = await findRealRedis()
  return real === undefined ? [memory, shared] : [memory, shared, await countersIn('a real Redis', real.url, real.stop)]
}

async function countersIn(kind: string, url: string, stopServer: () => Promise<void>): Promise<CountersUnderTest> {
  const deployment = `https://${randomUUID()}.example`
  const closers: (() => Promise<void>)[] = []
  return {
    kind,
    isShared: true,
    async connect() {
      const log = createRecordingLog()
      const { counters, close } = await connectRedisCounters({ url, deployment, log, respondWithinMs: 60_000 })
      closers.push(close)
      if (log.lines.length > 0) throw new Error(`${kind} does not respond: ${log.lines.join()}`)
      return counters
    },
    async stop() {
      for (const close of closers) await close()
      await stopServer()
    },
  }
}
