import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUpstream } from '../../../src/platform/outbound/upstream.ts'
import { json } from './scripted-server.ts'
import { failureOf, goodResponse, responseSchemas, startScriptedUpstream } from './upstream-fixture.ts'

const { server, connect } = await startScriptedUpstream()

test('the counters report calls, attempts, failures by kind and the state of the breaker, and the duration of each call is recorded', async () => {
  const durations: number[] = []
  const recordDuration = (seconds: number) => void durations.push(seconds)
  const counted = connect({ retries: 1, failuresToOpen: 3, halfOpenAfterMs: 60_000 }, { recordDuration })
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
  assert.equal(durations.length, 5)
  assert.ok((durations[1] ?? 0) >= 0.06)
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
