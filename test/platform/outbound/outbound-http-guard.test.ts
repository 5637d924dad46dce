import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import { UpstreamFailure } from '../../../src/platform/kernel/upstream-failure.ts'
import type { Upstream } from '../../../src/platform/outbound/upstream.ts'
import { holdTimeouts } from '../../support/held-timeouts.ts'
import { waitFor } from '../../support/wait-for.ts'
import { json } from './scripted-server.ts'
import { failureOf, goodResponse, responseSchemas, startScriptedUpstream } from './upstream-fixture.ts'

const { server, connect } = await startScriptedUpstream()

describe('retries', () => {
  test('a GET is retried once after a temporary failure', async () => {
    let asked = 0
    server.respondWith((request, response) => {
      asked += 1
      if (asked === 1) request.socket.destroy()
      else goodResponse(request, response)
    })
    const persistent = connect({ retries: 1 })
    assert.equal((await persistent.call({ path: '/thing', responses: responseSchemas })).body.speed, 150)
    assert.equal(asked, 2)
    const { tries, calls, failures } = persistent.counters()
    assert.deepEqual([tries, calls, failures.unreachable], [2, 1, 0])
  })

  test('permanent failures, and responses with Retry-After, are not retried', async () => {
    const persistent = connect({ retries: 1 })
    for (const script of [json('{}', 404), json('[]'), json('{}', 503, { 'retry-after': '1' })]) {
      server.requests.length = 0
      server.respondWith(script)
      await failureOf(persistent.call({ path: '/thing', responses: responseSchemas }))
      assert.equal(server.requests.length, 1)
    }
  })

  test('the pauses before retries are random, and none exceeds the maximum', async (t) => {
    server.respondWith(json('{}', 503))
    const persistent = connect({ retries: 1, failuresToOpen: 1_000 })
    const timers = t.mock.method(globalThis, 'setTimeout')
    const calls = Array.from({ length: 24 }, (_, call) =>
      persistent.call({ path: `/${call}`, responses: responseSchemas }),
    )
    await Promise.all(calls.map(failureOf))
    assert.equal(server.requests.length, 48)
    // Timers of 400 ms or more are time limits of these calls or belong to the HTTP client. A pause can be as short as
    // 0 ms.
    const pauses = timers.mock.calls.map((call) => call.arguments[1] ?? 0).filter((ms) => ms < 400)
    assert.ok(new Set(pauses).size > 4, pauses.join())
    assert.ok(Math.max(...pauses) <= 250, pauses.join())
  })

  test('Retry-After may be a date, and is capped at one hour', async () => {
    const persistent = connect({ retries: 1 })
    const wishes = [
      [new Date(Date.now() + 90_000).toUTCString(), 85, 91],
      ['999999', 3_600, 3_600],
    ] as const
    for (const [header, least, most] of wishes) {
      server.requests.length = 0
      server.respondWith(json('{}', 503, { 'retry-after': header }))
      const { retryAfterSeconds = 0 } = await failureOf(persistent.call({ path: '/thing', responses: responseSchemas }))
      assert.ok(retryAfterSeconds >= least && retryAfterSeconds <= most, `${header}: ${retryAfterSeconds}`)
      assert.equal(server.requests.length, 1)
    }
  })

  test('a call that is aborted during the pause before a retry sends no more requests', async (t) => {
    server.respondWith(json('{}', 503))
    // A random pause of less than 1 ms would not be held.
    t.mock.method(Math, 'random', () => 0.5)
    const isPause = (ms: number) => ms > 1 && ms < 400
    const pauses = holdTimeouts(isPause, t)
    const pausing = connect({ retries: 9, failuresToOpen: 99 })
    const controller = new AbortController()
    const call = failureOf(pausing.call({ path: '/thing', responses: responseSchemas, signal: controller.signal }))
    await waitFor('the pause after the first attempt', () => pauses.running() > 0)
    controller.abort(new Error('gone'))
    assert.equal((await call).kind, 'timeout')
    pauses.pass()
    server.respondWith(goodResponse)
    await pausing.call({ path: '/thing', responses: responseSchemas })
    assert.equal(pausing.counters().tries, 2)
  })

  test('an upstream that hangs is abandoned at the deadline', async () => {
    server.respondWith(() => undefined)
    const persistent = connect({ retries: 99, attemptMs: 200, deadlineMs: 500, failuresToOpen: 999 })
    const failure = await failureOf(persistent.call({ path: '/thing', responses: responseSchemas }))
    assert.equal(failure.kind, 'timeout')
    assert.match(failure.message, /took longer than 500 ms/)
  })

  test('the caller can abort a call', async () => {
    server.respondWith(() => undefined)
    const failure = await failureOf(
      connect().call({ path: '/thing', responses: responseSchemas, signal: AbortSignal.timeout(50) }),
    )
    assert.equal(failure.kind, 'timeout')
    assert.match(failure.message, /the caller stopped waiting/)
  })
})

describe('the circuit breaker', () => {
  const brittle = { failuresToOpen: 3, halfOpenAfterMs: 60_000 }
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: Date.now() }))
  afterEach(() => mock.timers.reset())
  const passUntilHalfOpen = () => mock.timers.setTime(Date.now() + 61_000)
  const failing = json('{}', 500)
  const ask = (from: Upstream, subject: string) =>
    failureOf(from.call({ path: '/thing', responses: responseSchemas, subject }))

  test('the breaker opens after consecutive failures, sends nothing while open, and closes after the first good response', async () => {
    const guarded = connect(brittle)
    server.respondWith(failing)
    for (const home of ['1', '2', '3']) await ask(guarded, home)
    assert.equal((await ask(guarded, '4')).kind, 'circuit-open')
    assert.equal(server.requests.length, 3)
    assert.deepEqual([guarded.counters().breaker, guarded.counters().breakerOpenings], ['open', 1])

    passUntilHalfOpen()
    assert.equal((await ask(guarded, '5')).kind, 'status')
    assert.equal(guarded.counters().breaker, 'open')

    passUntilHalfOpen()
    server.respondWith(goodResponse)
    assert.equal((await guarded.call({ path: '/thing', responses: responseSchemas })).body.speed, 150)
    assert.equal(guarded.counters().breaker, 'closed')
  })

  test('while one call probes the upstream, the others fail at once without waiting for it', async () => {
    const guarded = connect(brittle)
    server.respondWith(failing)
    for (const home of ['1', '2', '3']) await ask(guarded, home)
    passUntilHalfOpen()
    server.respondWith(() => undefined)
    server.requests.length = 0
    let seen = false
    const probe = ask(guarded, '4').finally(() => {
      seen = true
    })
    const others = await Promise.all(['5', '6', '7'].map((home) => ask(guarded, home)))
    assert.ok(!seen)
    for (const { kind } of others) assert.equal(kind, 'circuit-open')
    await waitFor('the probe has arrived', () => server.requests.length === 1)
    server.requests[0]?.socket.destroy()
    assert.equal((await probe).kind, 'unreachable')
    assert.equal(server.requests.length, 1)
    assert.equal(guarded.counters().breaker, 'open')
  })

  test('one property that makes the upstream fail does not open the circuit breaker for the others', async () => {
    const guarded = connect(brittle)
    server.respondWith(failing)
    for (let time = 0; time < 8; time += 1) assert.equal((await ask(guarded, 'the same property')).kind, 'status')
    server.respondWith(goodResponse)
    assert.equal(
      (await guarded.call({ path: '/thing', responses: responseSchemas, subject: 'another' })).body.speed,
      150,
    )
  })

  test('the breaker opens if the upstream cannot be reached, even if all calls are about one property', async () => {
    const guarded = connect(brittle)
    server.respondWith((request) => request.socket.destroy())
    for (let time = 0; time < 3; time += 1) await ask(guarded, 'the same property')
    assert.equal((await ask(guarded, 'the same property')).kind, 'circuit-open')
  })

  test('a good response resets the failure count', async () => {
    const guarded = connect(brittle)
    for (const script of [failing, failing, goodResponse, failing, failing, goodResponse]) {
      server.respondWith(script)
      await guarded
        .call({ path: '/thing', responses: responseSchemas })
        .catch((error: unknown) => assert.ok(error instanceof UpstreamFailure))
    }
    assert.equal(guarded.counters().breaker, 'closed')
  })
})

describe('the limit on concurrent calls', () => {
  test('calls over the limit are queued; when the queue is full, calls are rejected', async () => {
    const waiting: (() => void)[] = []
    server.respondWith((request, response) => waiting.push(() => goodResponse(request, response)))
    const narrow = connect({ concurrency: 1, queue: 1 })
    const first = narrow.call({ path: '/thing', responses: responseSchemas })
    const second = narrow.call({ path: '/thing', responses: responseSchemas })
    await waitFor('the first call has arrived', () => waiting.length > 0)
    assert.equal((await failureOf(narrow.call({ path: '/thing', responses: responseSchemas }))).kind, 'overloaded')
    assert.deepEqual([narrow.counters().inFlight, server.requests.length], [2, 1])
    server.respondWith(goodResponse)
    waiting[0]?.()
    assert.deepEqual(await Promise.all([first, second]).then((both) => both.map((answer) => answer.status)), [200, 200])
    assert.equal(narrow.counters().inFlight, 0)
  })

  test('a call that waited in the queue and reaches its deadline does not open the circuit breaker', async (t) => {
    const deadlineMs = 29_999
    const deadlines = holdTimeouts((ms) => ms === deadlineMs, t)
    const held: (() => void)[] = []
    server.respondWith((request, response) => held.push(() => goodResponse(request, response)))
    const narrow = connect({ concurrency: 1, queue: 1, deadlineMs, failuresToOpen: 1, halfOpenAfterMs: 60_000 })
    const first = narrow.call({ path: '/first', responses: responseSchemas })
    await waitFor('the first call has arrived', () => held.length === 1)
    const queued = failureOf(narrow.call({ path: '/queued', responses: responseSchemas }))
    held[0]?.()
    await first
    await waitFor('the queued call has arrived', () => held.length === 2)
    deadlines.pass(deadlineMs)
    assert.equal((await queued).kind, 'timeout')
    server.respondWith(goodResponse)
    assert.equal((await narrow.call({ path: '/next', responses: responseSchemas })).status, 200)
    assert.equal(narrow.counters().breakerOpenings, 0)

    server.respondWith((request, response) => held.push(() => goodResponse(request, response)))
    const direct = failureOf(narrow.call({ path: '/direct', responses: responseSchemas }))
    await waitFor('the direct call has arrived', () => held.length === 3)
    deadlines.pass(deadlineMs)
    assert.equal((await direct).kind, 'timeout')
    await waitFor('the breaker opens', () => narrow.counters().breaker === 'open')
  })

  test('a call that waited in the queue and reaches its deadline as the probe request does not open the breaker again', async (t) => {
    const deadlineMs = 29_998
    const deadlines = holdTimeouts((ms) => ms === deadlineMs, t)
    const held: (() => void)[] = []
    server.respondWith((request, response) => held.push(() => json('{}', 503)(request, response)))
    const narrow = connect({ concurrency: 1, queue: 1, deadlineMs, retries: 0, failuresToOpen: 1, halfOpenAfterMs: 0 })
    const first = failureOf(narrow.call({ path: '/first', responses: responseSchemas }))
    await waitFor('the first call has arrived', () => held.length === 1)
    const queued = failureOf(narrow.call({ path: '/queued', responses: responseSchemas }))
    held[0]?.()
    await first
    await waitFor('the queued call has arrived', () => held.length === 2)
    assert.equal(narrow.counters().breaker, 'half-open')
    deadlines.pass(deadlineMs)
    assert.equal((await queued).kind, 'timeout')
    await waitFor('the breaker is closed', () => narrow.counters().breaker === 'closed')
    assert.equal(narrow.counters().breakerOpenings, 1)
  })
})
