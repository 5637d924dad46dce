import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openCallCounters } from '../../../src/app/call-counters.ts'
import { createLogger } from '../../../src/app/logger.ts'
import { buildConfig, type Config } from '../../../src/platform/config/config.ts'
import type { CallCounter } from '../../../src/platform/rate-limits/call-counter.ts'
import { connectRedisCounters } from '../../../src/platform/rate-limits/redis.ts'
import { holdTimeouts } from '../../support/held-timeouts.ts'
import { startTestRedis } from '../../support/redis.ts'
import { waitFor } from '../../support/wait-for.ts'
import { createRecordingLog } from './counters-under-test.ts'

const lost = 'warn: Redis unavailable; each process counts requests separately until it is back'
const back = 'info: Redis available again; processes share their rate limits'
const policy = { name: 'test', quota: 5, windowSeconds: 60 }

const closers: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closers.reverse()) await close()
})

/** Creates the call counters of two processes that share one Redis. */
async function setUp() {
  const redis = await startTestRedis()
  closers.push(redis.stop)
  const processes = await Promise.all(
    [1, 2].map(async () => {
      const log = createRecordingLog()
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

/** Makes calls until the counter has reconnected to Redis and is shared again. */
async function untilShared(log: { lines: string[] }, counter: CallCounter): Promise<void> {
  await waitFor('the counter is shared again', async () => {
    await counter.add('probe', 1)
    return log.lines.at(-1) === back
  })
}

const respondWithinMs = 250

test('processes count separately while Redis is down and share their counts again afterwards; each change is logged once', async () => {
  const { redis, one, other } = await setUp()
  assert.deepEqual([await total(one.counter), await total(other.counter)], [1, 2])
  await redis.goDown()
  const alone = [await total(one.counter), await total(other.counter), await total(one.counter)]
  assert.deepEqual(alone, [1, 1, 2])
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

test('a Redis that accepts commands but never responds delays one call by 250 ms and the others not at all', async (t) => {
  const { redis, one } = await setUp()
  const limits = holdTimeouts((ms) => ms === respondWithinMs, t)
  // After a failure, Redis is not used for a while. Here, that lasts until the test ends.
  const clock = t.mock.method(performance, 'now', () => 0)
  redis.hang(true)
  const first = total(one.counter)
  await waitFor('the call is waiting for Redis', () => limits.running() === 1)
  limits.pass()
  assert.equal(await first, 1)
  for (let call = 2; call <= 50; call += 1) {
    const next = total(one.counter)
    assert.equal(limits.running(), 0)
    assert.equal(await next, call)
  }
  redis.hang(false)
  clock.mock.restore()
  await untilShared(one.log, one.counter)
  assert.deepEqual(one.log.lines, [lost, back])
})

test('a Redis that returns an error for every command counts as unavailable', async () => {
  const { redis, one } = await setUp()
  redis.failWith('READONLY You cannot write against a read only replica.')
  assert.deepEqual([await total(one.counter), await total(one.counter)], [1, 2])
  assert.deepEqual(one.log.lines, [lost])
  redis.failWith(undefined)
  await untilShared(one.log, one.counter)
})

test('keys in Redis reveal neither addresses nor client ids, and deployments do not share them', async () => {
  const { redis, one } = await setUp()
  await total(one.counter)
  const { counters, close } = await connectRedisCounters({
    url: redis.url,
    deployment: 'https://y.example',
    log: createRecordingLog(),
  })
  closers.push(close)
  assert.equal(await total(counters.open(policy)), 1)
  const keys = redis.keys()
  assert.equal(keys.length, 2)
  for (const key of keys) assert.match(key, /^housebill:[\w-]{12}:test:key$/)
})

test('counters start and log an outage if Redis is down, and are shared once Redis is available', async () => {
  const redis = await startTestRedis()
  closers.push(redis.stop)
  await redis.goDown()
  const log = createRecordingLog()
  const { counters, close } = await connectRedisCounters({ url: redis.url, deployment: 'https://x.example', log })
  closers.push(close)
  const counter = counters.open(policy)
  assert.equal(await total(counter), 1)
  assert.deepEqual(log.lines, [lost])
  await redis.comeBack()
  await untilShared(log, counter)
})

test('closing the counters before Redis was ever available causes no error', async () => {
  const redis = await startTestRedis()
  await redis.stop()
  const log = createRecordingLog()
  const options = { url: redis.url, deployment: 'https://x.example' }
  const { close } = await connectRedisCounters({ ...options, log })
  await close()
  // Give the closed counters time to log something: wait while new counters fail to connect.
  const later = await connectRedisCounters({ ...options, log: createRecordingLog() })
  await later.close()
  assert.deepEqual(log.lines, [lost])
})

test('in live, a password that Redis rejects is an error at the start; otherwise each process counts by itself', async () => {
  const redis = await startTestRedis()
  closers.push(redis.stop)
  const connect = (requirePassword: boolean) =>
    connectRedisCounters({
      url: redis.url.replace('redis://', 'redis://user:wrong@'),
      deployment: 'https://x.example',
      log: createRecordingLog(),
      requirePassword,
    })
  for (const failure of [
    'WRONGPASS invalid username-password pair or user is disabled.',
    'NOAUTH Authentication required.',
  ]) {
    redis.failWith(failure)
    await assert.rejects(connect(true), {
      name: 'RedisPasswordRejected',
      message: /rejected the user name or password/,
    })
    const alone = await connect(false)
    closers.push(alone.close)
    assert.equal(alone.isShared(), false)
    assert.equal(await total(alone.counters.open(policy)), 1)
  }
  const { auth, realm } = buildConfig({})
  const open = (config: Pick<Config, 'auth' | 'realm'>) =>
    openCallCounters({ config, secrets: { redisUrl: redis.url }, log: createLogger('silent') })
  await assert.rejects(open({ auth, realm: 'live' }), /REDIS_URL: Redis rejected the user name or password/)
  closers.push((await open({ auth, realm })).close)
  redis.failWith('LOADING Redis is loading the dataset in memory')
  const starting = await connect(true)
  closers.push(starting.close)
  assert.equal(starting.isShared(), false, 'an outage does not stop the start')
})
