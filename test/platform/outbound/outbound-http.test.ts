import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'node:test'
import Type from 'typebox'
import { runForRequest } from '../../../src/platform/kernel/request-context.ts'
import type { UpstreamFailure } from '../../../src/platform/kernel/upstream-failure.ts'
import { createUpstream } from '../../../src/platform/outbound/upstream.ts'
import { json } from './scripted-server.ts'
import { failureOf, responseSchemas, startScriptedUpstream } from './upstream-fixture.ts'

const { server, connect } = await startScriptedUpstream()

/** Asserts that a call fails with this kind and message. The message also shows which time limit ended the call. */
async function expectFailure(kind: UpstreamFailure['kind'], reason: RegExp, from = connect()): Promise<void> {
  const failure = await failureOf(from.call({ path: '/thing', responses: responseSchemas }))
  assert.equal(failure.kind, kind, failure.message)
  assert.match(failure.message, reason)
}

describe('a usable response', () => {
  test('a good response is returned with its status and keeps unknown fields', async () => {
    assert.deepEqual(await connect().call({ path: '/thing', responses: responseSchemas }), {
      status: 200,
      body: { speed: 150, extra: true },
    })
  })

  test('the body is validated against the schema for its status', async () => {
    const either = { ...responseSchemas, 404: Type.Object({ reason: Type.String() }) }
    server.respondWith(json('{"reason":"gone"}', 404))
    const answer = await connect().call({ path: '/thing', responses: either })
    assert.deepEqual(answer, { status: 404, body: { reason: 'gone' } })
  })

  test('the request carries the path prefix, query and credentials of the base URL, and continues the trace of the current request', async () => {
    const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const baseUrl = `${server.baseUrl.replace('//', '//us%40er:p%3Ass@')}/api/`
    const query = new URLSearchParams({ postcode: 'TE5 7AA' })
    await runForRequest({ traceparent: parent, tracestate: 'a=1' }, () =>
      connect({}, { baseUrl }).call({ path: '/thing', query, responses: responseSchemas }),
    )
    const [request] = server.requests
    assert.equal(request?.url, '/api/thing?postcode=TE5+7AA')
    assert.equal(request?.headers.authorization, `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`)
    assert.match(String(request?.headers.traceparent), /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/)
    assert.notEqual(request?.headers.traceparent, parent)
    assert.equal(request?.headers.tracestate, 'a=1')
  })

  test('a form is posted as form data and is not retried if the call fails', async () => {
    const received: string[] = []
    server.respondWith((request, response) => {
      request.on('data', (chunk) => received.push(`${request.headers['content-type']} ${chunk}`))
      request.on('end', () => response.writeHead(503).end())
    })
    const persistent = connect({ retries: 2 })
    const form = new URLSearchParams({ grant_type: 'client_credentials' })
    const failure = await failureOf(
      persistent.call({ method: 'POST', path: '/token', body: { form }, responses: responseSchemas }),
    )
    assert.equal(failure.statusCode, 503)
    assert.deepEqual(received, ['application/x-www-form-urlencoded grant_type=client_credentials'])
  })
})

describe('an unusable response', () => {
  test('a rejected connection is reported as unreachable', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    await expectFailure(
      'unreachable',
      /GET \/thing got no response \(ECONNREFUSED\)/,
      connect({}, { baseUrl: `http://127.0.0.1:${port}` }),
    )
  })

  test('a connection dropped before the response is reported as unreachable', async () => {
    server.respondWith((request) => request.socket.destroy())
    await expectFailure('unreachable', /got no response/)
  })

  test('headers that never arrive cause a timeout', async () => {
    server.respondWith(() => undefined)
    await expectFailure('timeout', /took longer than 150 ms/, connect({ attemptMs: 150 }))
  })

  test('a response that stops in the middle of its body counts as a timeout', async () => {
    server.respondWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"speed":')
    })
    await expectFailure('timeout', /took longer than 150 ms/, connect({ attemptMs: 150 }))
  })

  test('an endless body sent slowly causes a timeout', async () => {
    server.respondWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    })
    await expectFailure('timeout', /took longer than 400 ms/, connect({ attemptMs: 400 }))
  })

  test('a body over the limit is reported as too large, whether its length was announced or not', async () => {
    server.respondWith(json(`{"speed":1,"padding":"${'x'.repeat(2_000)}"}`))
    await expectFailure('too-large', /a body that is too large/)
    server.respondWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const flood = setInterval(() => response.write('x'.repeat(300)), 5)
      response.on('close', () => clearInterval(flood))
    })
    await expectFailure('too-large', /a body that is too large/)
  })

  test('an unexpected status is reported with its Retry-After', async () => {
    for (const status of [204, 400, 404, 500]) {
      server.respondWith(json('{}', status))
      await expectFailure('status', new RegExp(`^telecom: GET /thing returned status ${status}$`))
    }
    server.respondWith(json('{}', 429, { 'retry-after': '7' }))
    const failure = await failureOf(connect().call({ path: '/thing', responses: responseSchemas }))
    assert.deepEqual([failure.statusCode, failure.retryAfterSeconds], [429, 7])
  })

  test('a redirect is not followed', async () => {
    server.respondWith(json('{}', 302, { location: '/elsewhere' }))
    await expectFailure('redirect', /redirect \(302\)/)
    assert.equal(server.requests.length, 1)
  })

  test('HTML, truncated JSON and compressed bodies are reported as not JSON', async () => {
    server.respondWith(json('<html>', 200, { 'content-type': 'text/html' }))
    await expectFailure('not-json', /text\/html instead of JSON/)
    server.respondWith(json('{"speed":15'))
    await expectFailure('not-json', /invalid JSON/)
    server.respondWith(json('{"speed":15}', 200, { 'content-encoding': 'gzip' }))
    await expectFailure('not-json', /Content-Encoding that was not requested/)
  })

  test('a response shorter than announced is reported as a dropped connection', async () => {
    server.respondWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '30' })
      response.write('{"speed":15}', () => response.destroy())
    })
    await expectFailure('dropped', /lost the connection in the middle/)
  })

  test('a value of the wrong type is reported by its position, and the value itself is not shown', async () => {
    server.respondWith(json('{"speed":"a secret"}'))
    await expectFailure('wrong-shape', /^telecom: GET \/thing returned an unexpected shape: \/speed must be integer$/)
    server.respondWith(json('null'))
    await expectFailure('wrong-shape', /the body must be object/)
  })
})

describe('configuration', () => {
  test('an invalid base URL is rejected without being quoted', () => {
    for (const baseUrl of [
      'nonsense-s3cret',
      'ftp://u:s3cret@host',
      'https://u:s3cret@host/?x=1',
      'https://u:s3cret@host/#x',
    ]) {
      assert.throws(
        () => createUpstream({ name: 'telecom', baseUrl }),
        (error: Error) => /base URL of telecom/.test(error.message) && !/s3cret/.test(error.message),
      )
    }
  })

  test('failures are logged with their reason, never with the query', async () => {
    const lines: string[] = []
    const log = {
      warn: (fields: object, text: string) => lines.push(JSON.stringify(fields) + text),
      info: () => undefined,
    }
    const logged = connect({}, { log })
    server.respondWith(json('{}', 500))
    await failureOf(
      logged.call({ path: '/thing', query: new URLSearchParams({ uprn: '990000000001' }), responses: responseSchemas }),
    )
    assert.deepEqual(lines, [
      '{"upstream":"telecom","kind":"status","statusCode":500}telecom: GET /thing returned status 500',
    ])
  })
})
