import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCounters } from '../../src/adapters/outbound-http/counters.ts'
import { createFailureReport } from '../../src/adapters/outbound-http/failure-report.ts'
import { createUpstream } from '../../src/adapters/outbound-http/upstream.ts'
import { json } from './scripted-server.ts'
import { failureOf, goodResponse, responseSchemas, startScriptedUpstream } from './upstream-fixture.ts'

const { server, connect } = await startScriptedUpstream()

test('the counters report calls, attempts, failures by kind, latency in cumulative buckets, and the state of the breaker', async () => {
  const counted = connect({ retries: 1, failuresToOpen: 3, halfOpenAfterMs: 60_000 })
  await counted.call({ path: '/thing', responses: responseSchemas })
  server.respondWith((request, response) => setTimeout(() => goodResponse(request, response), 60))
  await counted.call({ path: '/thing', responses: responseSchemas })
  server.respondWith(json('{}', 404))
  await failureOf(counted.call({ path: '/thing', responses: responseSchemas, subject: 'a' }))
  server.respondWith(json('{}', 503))
  await failureOf(counted.call({ path: '/thing', responses: responseSchemas, subject: 'b' }))
  await failureOf(counted.call({ path: '/thing', responses: responseSchemas, subject: 'c' }))
  const counters = counted.counters()
  assert.deepEqual(
    [counters.calls, counters.tries, counters.failures.status, counters.failures['circuit-open'], counters.inFlight],
    [5, 5, 2, 1, 0],
  )
  assert.deepEqual([counters.breaker, counters.breakerOpenings], ['open', 1])
  const upTo = new Map(counters.latency.map(({ upToMs, calls }) => [upToMs, calls]))
  assert.ok((upTo.get(50) ?? 5) < 5, 'the slow call is not counted among those that took at most 50 ms')
  assert.equal(upTo.get(10_000), 5)
  const cumulative = counters.latency.map(({ calls }) => calls)
  assert.deepEqual(
    cumulative,
    [...cumulative].sort((one, other) => one - other),
  )
  assert.ok(counters.totalMilliseconds >= 60)
})

describe('the log of failed calls, once a minute', () => {
  test('a minute after the first failed call, one log line sums up the calls of that minute', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const lines: [object, string][] = []
    const counters = createCounters('telecom')
    const report = createFailureReport({ counters, warn: (...line) => lines.push(line) })
    counters.calls = 1_000
    counters.failures.status = 7
    for (let call = 0; call < 3; call += 1) {
      report.note()
      counters.calls += 1
      counters.tries += 2
      counters.failures.timeout += 1
      for (const bucket of counters.latency) if (bucket.upToMs >= 2_500) bucket.calls += 1
    }
    counters.calls += 1
    for (const bucket of counters.latency) bucket.calls += 1
    context.mock.timers.tick(59_999)
    assert.equal(lines.length, 0)
    context.mock.timers.tick(1)
    assert.deepEqual(lines, [
      [
        {
          upstream: 'telecom',
          calls: 4,
          tries: 6,
          failures: { timeout: 3 },
          halfWithinMs: 2_500,
          allWithinMs: 2_500,
          breaker: 'closed',
          breakerOpenings: 0,
        },
        'telecom: calls failed in the last minute',
      ],
    ])
    context.mock.timers.tick(600_000)
    assert.equal(lines.length, 1, 'minutes without a failure are not reported')
  })

  test('closing the upstream reports the failures that have not been reported yet', async () => {
    const lines: string[] = []
    const log = {
      warn: (fields: object, text: string) => lines.push(text + JSON.stringify(fields)),
      info: () => undefined,
    }
    const logged = createUpstream({ name: 'telecom', baseUrl: server.baseUrl, limits: { retries: 0 }, log })
    server.respondWith(json('{}', 500))
    await failureOf(logged.call({ path: '/thing', responses: responseSchemas }))
    await logged.close()
    assert.equal(lines.length, 2)
    assert.match(lines[1] ?? '', /^telecom: calls failed in the last minute.*"calls":1,.*"failures":\{"status":1\}/)
  })

  test('a bug in this program is not counted as a failure of the upstream', async () => {
    const lines: string[] = []
    const log = { warn: (_fields: object, text: string) => lines.push(text), info: () => undefined }
    const logged = createUpstream({ name: 'telecom', baseUrl: server.baseUrl, limits: { retries: 0 }, log })
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    await assert.rejects(
      logged.call({ method: 'POST', path: '/thing', body: { json: cyclic }, responses: responseSchemas }),
      TypeError,
    )
    await logged.close()
    assert.deepEqual(lines, [])
  })
})
