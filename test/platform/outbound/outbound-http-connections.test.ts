import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { after, describe, test } from 'node:test'
import { createUpstream } from '../../../src/platform/outbound/upstream.ts'
import { json, startScriptedServer, startSecureServer } from './scripted-server.ts'
import { failureOf, goodResponse, responseSchemas, startScriptedUpstream } from './upstream-fixture.ts'

const { server, connect } = await startScriptedUpstream()

/** Accepts connections and never sends a byte, so that the TLS handshake never completes. */
async function startMuteServer(): Promise<string> {
  const mute = createServer((socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  after(() => mute.close())
  return `https://127.0.0.1:${(mute.address() as AddressInfo).port}`
}

test('the time limit of an attempt includes establishing the connection and TLS', async () => {
  const failure = await failureOf(
    connect({ attemptMs: 200 }, { baseUrl: await startMuteServer() }).call({
      path: '/thing',
      responses: responseSchemas,
    }),
  )
  assert.equal(failure.kind, 'timeout')
  assert.match(failure.message, /took longer than 200 ms/)
})

test('a server with a certificate that is not trusted is unreachable, and gets no request', async () => {
  const secure = await startSecureServer('certified', goodResponse)
  after(() => secure.close())
  const { baseUrl } = secure
  await connect({}, { baseUrl }).call({ path: '/thing', responses: responseSchemas })
  secure.setTrusted(false)
  const failure = await failureOf(connect({}, { baseUrl }).call({ path: '/thing', responses: responseSchemas }))
  assert.deepEqual([failure.kind, secure.requests.length], ['unreachable', 1])
})

test('response headers over the limit cause a too-large failure', async () => {
  server.respondWith(json('{"speed":1}', 200, { 'x-padding': 'x'.repeat(20_000) }))
  const failure = await failureOf(connect().call({ path: '/thing', responses: responseSchemas }))
  assert.deepEqual([failure.kind, /headers that are too large/.test(failure.message)], ['too-large', true])
})

describe('the connections of an upstream', () => {
  test('connections are reused, and there are never more of them than concurrent calls', async () => {
    const ports = new Set<number | undefined>()
    let atOnce = 0
    let most = 0
    server.respondWith((request, response) => {
      ports.add(request.socket.remotePort)
      atOnce += 1
      most = Math.max(most, atOnce)
      setTimeout(() => {
        atOnce -= 1
        goodResponse(request, response)
      }, 10)
    })
    const narrow = connect({ concurrency: 3, queue: 100 })
    await Promise.all(Array.from({ length: 12 }, () => narrow.call({ path: '/thing', responses: responseSchemas })))
    await narrow.call({ path: '/thing', responses: responseSchemas })
    assert.deepEqual([most, ports.size], [3, 3])
  })

  test('upstreams do not share connections: one that hangs on all of its connections does not block another', async () => {
    const hanging = await startScriptedServer(() => undefined)
    after(() => hanging.close())
    const limits = { concurrency: 2, queue: 100 }
    const stuck = connect(limits, { name: 'stuck', baseUrl: hanging.baseUrl })
    const well = connect(limits)
    const waiting = Array.from({ length: 8 }, () =>
      failureOf(stuck.call({ path: '/thing', responses: responseSchemas })),
    )
    for (let call = 0; call < 5; call += 1) await well.call({ path: '/thing', responses: responseSchemas })
    assert.equal(stuck.counters().inFlight, 8)
    await hanging.hangUp()
    for (const { kind } of await Promise.all(waiting))
      assert.ok(kind === 'unreachable' || kind === 'circuit-open', kind)
  })
})

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
