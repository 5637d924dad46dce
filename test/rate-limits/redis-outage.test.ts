import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectRedisCounters } from '../../src/adapters/call-counter/redis.ts'
import type { CallCounter } from '../../src/domain/rate-limits/call-counter.ts'
import { startTestRedis } from '../support/redis.ts'
import { recordingLog } from './counters-under-test.ts'

const lost = 'warn: Redis unavailable; each process counts requests separately until it is back'
const back = 'info: Redis available again; processes share their rate limits'
const policy = { name: 'test', quota: 5, windowSeconds: 60 }

const closers: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closers.reverse()) await close()
})

/** Two processes on one Redis. */
async function setUp() {
  const redis = await startTestRedis()
  closers.push(redis.stop)
  const processes = await Promise.all(
    [1, 2].map(async () => {
      const log = recordingLog()
      const { counters, close } = await connectRedisCounters({ url: redis.url, deployment: 'https://x.example', log })
      closers.push(close)
      return { log, counter: counters.open(policy) }
    }),
  )
  const [one, other] = processes
  assert.ok(one && other)
  return { redis, one, other }
}

const total = async (counter: CallCounter, key = 'key') => (await counter.add(key, 1)).total

/** Counts until the counter is shared again; how long that takes is the reconnection's. */
async function untilShared(log: { lines: string[] }, counter: CallCounter): Promise<void> {
  const deadline = performance.now() + 10_000
  while (log.lines.at(-1) !== back && performance.now() < deadline) {
    await counter.add('probe', 1)
    await sleep(50)
  }
  assert.equal(log.lines.at(-1), back)
}

test('when Redis goes down each process counts by itself, when it is back they share again; each way is logged once', async () => {
  const { redis, one, other } = await setUp()
  assert.deepEqual([await total(one.counter), await total(other.counter)], [1, 2])
  await redis.goDown()
  const alone = [await total(one.counter), await total(other.counter), await total(one.counter)]
  assert.deepEqual(alone, [1, 1, 2])
  await sleep(300)
  assert.deepEqual([one.log.lines, other.log.lines], [[lost], [lost]])

  await redis.comeBack()
  await Promise.all([untilShared(one.log, one.counter), untilShared(other.log, other.counter)])
  assert.deepEqual([await total(one.counter, 'new'), await total(other.counter, 'new')], [1, 2])
  assert.deepEqual(
    [one.log.lines, other.log.lines],
    [
      [lost, back],
      [lost, back],
    ],
  )
})

test('a Redis that takes commands and answers none costs one call a quarter of a second and the others nothing', async () => {
  const { redis, one } = await setUp()
  redis.hang(true)
  const begun = performance.now()
  assert.equal(await total(one.counter), 1)
  const first = performance.now() - begun
  assert.ok(first >= 200 && first < 5_000, `${first} ms`)
  const next = performance.now()
  for (let call = 2; call <= 50; call += 1) assert.equal(await total(one.counter), call)
  // A quarter of a second each would be twelve.
  assert.ok(performance.now() - next < 5_000)
  redis.hang(false)
  await untilShared(one.log, one.counter)
  assert.deepEqual(one.log.lines, [lost, back])
})

test('a Redis that answers every command with an error is one that does not answer', async () => {
  const { redis, one } = await setUp()
  redis.failWith('READONLY You cannot write against a read only replica.')
  assert.deepEqual([await total(one.counter), await total(one.counter)], [1, 2])
  assert.deepEqual(one.log.lines, [lost])
  redis.failWith(undefined)
  await untilShared(one.log, one.counter)
})

test('what is in Redis tells neither addresses nor client ids apart from others, and deployments do not share it', async () => {
  const { redis, one } = await setUp()
  await total(one.counter)
  const { counters, close } = await connectRedisCounters({
    url: redis.url,
    deployment: 'https://y.example',
    log: recordingLog(),
  })
  closers.push(close)
  assert.equal(await total(counters.open(policy)), 1)
  const keys = redis.keys()
  assert.equal(keys.length, 2)
  for (const key of keys) assert.match(key, /^housebill:[\w-]{12}:test:key$/)
})

test('where Redis is not there at the start, the start says so and goes on; calls are shared once it is', async () => {
  const redis = await startTestRedis()
  closers.push(redis.stop)
  await redis.goDown()
  const log = recordingLog()
  const { counters, close } = await connectRedisCounters({ url: redis.url, deployment: 'https://x.example', log })
  closers.push(close)
  const counter = counters.open(policy)
  assert.equal(await total(counter), 1)
  assert.deepEqual(log.lines, [lost])
  await redis.comeBack()
  await untilShared(log, counter)
})

test('counters that are closed before Redis was ever there end quietly', async () => {
  const redis = await startTestRedis()
  await redis.stop()
  const log = recordingLog()
  const { close } = await connectRedisCounters({ url: redis.url, deployment: 'https://x.example', log })
  await close()
  await sleep(100)
  assert.deepEqual(log.lines, [lost])
})
