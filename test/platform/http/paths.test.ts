import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { call, connectPartner } from '../../support/client.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { rejected } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const withToken = { Authorization: `Bearer ${partner.token}` }

/**
 * Sends a GET with a raw request target that no HTTP client would send. Returns the status, and the error code or the
 * body.
 */
async function getRaw(target: string): Promise<[status: number, code: string]> {
  const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${partner.token}\r\nConnection: close\r\n\r\n`
  const { status, headers, body } = await sendRaw(service.baseUrl, Buffer.from(request, 'latin1'))
  if (status === 200) return [status, body]
  assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8', body)
  assert.ok(headers.get('x-request-id'))
  assert.doesNotMatch(body, /node_modules|\bat .+\.ts:\d+|Error:/)
  return [status, JSON.parse(body).code]
}

test('an unknown path inside or outside /partner-api returns 404, with or without a token', async () => {
  for (const path of [
    '/nothing',
    '/partner-api',
    '/partner-api/',
    '/partner-api/Nothing',
    '/partner-api/Quotes/a/b/c',
    '/favicon.png',
    '/.env',
    '/partner-api/Auth/token/x',
    '/partner-api/v1/Quotes',
  ]) {
    rejected(await call(service.baseUrl, 'GET', path), 404, 'not_found')
    rejected(await call(service.baseUrl, 'POST', path, {}, { headers: withToken }), 404, 'not_found')
  }
  rejected(await call(service.baseUrl, 'GET', '/docs/errors/__proto__'), 404, 'not_found')
})

test('paths match in any letter case; ids are case-sensitive', async () => {
  for (const path of ['/partner-api/quotes', '/PARTNER-API/QUOTES', '/Partner-Api/qUoTeS'])
    assert.equal((await call(service.baseUrl, 'GET', path, undefined, { headers: withToken })).status, 200)
  assert.notEqual((await partner.get('/Quotes/run-broadband-availability-check/nobody')).status, 200)
  const postcodes = await partner.get('/sandbox/POSTCODES')
  assert.equal(postcodes.status, 200)
})

test('a path outside the operations with a trailing slash is the same path', async () => {
  for (const path of [
    '/docs/',
    '/docs/errors/',
    '/docs/guides/webhooks/',
    '/openapi.json/',
    '/health/live/',
    '/workplace/developers/sign-in/',
  ])
    assert.equal((await fetch(`${service.baseUrl}${path}`)).status, 200, path)
  for (const path of ['/partner-api/Auth/token/', '/oauth/token/'])
    assert.equal((await call(service.baseUrl, 'POST', path, service.credentials)).status, 200, path)
})

test('a key that was used with a path is replayed for the path with a trailing slash', async () => {
  const headers = { 'Idempotency-Key': randomUUID() }
  const body = { addressUid: ordinaryProperty().addressUid }
  const [first, repeated] = [
    await partner.send('POST', '/Quotes', body, { headers }),
    await partner.send('POST', '/quotes/', body, { headers }),
  ]
  assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
  assert.equal(repeated.text, first.text)
})

test('a path outside /partner-api returns 405 for methods other than GET and HEAD', async () => {
  for (const path of [
    '/docs',
    '/docs/errors',
    '/docs/errors/not_found',
    '/docs/reference',
    '/docs/guides/webhooks',
    '/console',
    '/console/webhooks',
    '/openapi.json',
    '/health/live',
    '/health/ready',
    '/.well-known/jwks.json',
  ]) {
    const response = await call(service.baseUrl, 'DELETE', path)
    rejected(response, 405, 'method_not_allowed')
    assert.equal(response.headers.get('allow'), 'GET, HEAD')
  }
  const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' }
  const preflight = await call(service.baseUrl, 'OPTIONS', '/partner-api/Quotes', undefined, { headers })
  assert.match(rejected(preflight, 405, 'method_not_allowed').detail, /Call it from your server\.$/)
  const webhook = await call(service.baseUrl, 'GET', '/processor-webhooks/stripe')
  assert.equal(webhook.headers.get('allow'), 'POST')
})

test('TRACE and unknown methods are rejected and never echoed', async () => {
  const send = (method: string) =>
    sendRaw(
      service.baseUrl,
      `${method} /partner-api/Quotes HTTP/1.1\r\nHost: x\r\nX-Secret: echo-me\r\nConnection: close\r\n\r\n`,
    )
  for (const [method, status] of [
    ['TRACE', 405],
    ['PROPFIND', 405],
    ['BREW', 405],
    ['get', 405],
    ['CONNECT', 405],
  ] as const) {
    const response = await send(method)
    assert.equal(response.status, status)
    assert.doesNotMatch(response.body, /echo-me/)
    assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  }
})

test('HEAD returns the same status and headers as GET, without a body', async () => {
  for (const path of [
    '/partner-api/Quotes',
    '/partner-api/Quotes/unknown',
    '/docs',
    '/health/ready',
    '/openapi.json',
    '/nothing',
  ]) {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => fetch(`${service.baseUrl}${path}`, { method, headers: withToken })),
    )
    assert.ok(get !== undefined && head !== undefined)
    assert.equal(head.status, get.status, path)
    for (const name of ['content-type', 'cache-control']) assert.equal(head.headers.get(name), get.headers.get(name))
    assert.equal(await head.text(), '')
    assert.notEqual(await get.text(), '')
  }
})

test('an Accept header that excludes JSON returns 406; any other is accepted', async () => {
  const get = (accept: string) =>
    call(service.baseUrl, 'GET', '/partner-api/Quotes', undefined, { headers: { ...withToken, Accept: accept } })
  for (const accept of ['text/html', 'application/xml, text/*', 'application/json;q=0', ';;;'])
    rejected(await get(accept), 406, 'not_acceptable')
  for (const accept of [
    '*/*',
    'application/*',
    'application/json',
    'text/html, application/json;q=0.1',
    'application/problem+json',
    'Application/JSON',
    '',
  ])
    assert.equal((await get(accept)).status, 200, accept)
})

test('a malformed URL of any kind returns 400 or 404 with a problem document', async () => {
  for (const target of [
    '/partner-api/Quotes/%zz',
    '/%zz',
    '/partner-api/Quotes/%c3%28',
    '/partner-api/Quotes/%',
    '/partner-api/Quotes/%e0%80%80',
    '/partner-api/Quotes/\xff',
  ])
    assert.deepEqual(await getRaw(target), [400, 'invalid_request'], target)
  for (const target of [
    '/partner-api/Quotes/%00',
    '/partner-api/Quotes/%0d%0aX-Injected:%20yes',
    '/partner-api/Quotes/quote%2Fother',
    '/partner-api/Quotes/..%2f..%2fetc%2fpasswd',
    '/partner-api%2FQuotes',
    '//partner-api//Quotes',
    '/partner-api/Quotes//',
    '/partner-api/x/../Quotes',
    '/partner-api/Quotes/%F0%9F%8F%A0',
    '/partner-api/Quotes/%20',
    "/partner-api/Quotes/'%20or%201=1--",
    '/partner-api/Quotes;jsessionid=1',
    '/docs/errors/..%2f..%2fpackage.json',
    '/docs/../package.json',
  ])
    assert.deepEqual(await getRaw(target), [404, 'not_found'], target)
})

test('an unknown id of any length returns 404; a URL that is too long returns 414', async () => {
  for (const length of [200, 201, 1_000, 12_000])
    assert.deepEqual(await getRaw(`/partner-api/Quotes/${'a'.repeat(length)}`), [404, 'not_found'])
  assert.deepEqual(await getRaw(`/partner-api/Quotes/${'a'.repeat(20_000)}`), [414, 'uri_too_long'])
  assert.deepEqual(await getRaw(`/${'a'.repeat(17_000)}`), [414, 'uri_too_long'])
  assert.deepEqual(await getRaw(`/partner-api/Quotes?cursor=${'a'.repeat(60_000)}`), [414, 'uri_too_long'])
})

test('bytes that are not HTTP return 400 with a problem document and close the connection', async () => {
  for (const bytes of [
    'nonsense\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00',
    'GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n',
    'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
  ]) {
    const response = await sendRaw(service.baseUrl, Buffer.from(bytes, 'latin1'))
    assert.equal(response.status, 400, bytes.slice(0, 60))
    const problem = JSON.parse(response.body)
    assert.equal(problem.code, 'invalid_request')
    assert.equal(problem.requestId, response.headers.get('x-request-id'))
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(response.body)))
  }
})

test('a token call that is not valid HTTP returns a token error', async () => {
  for (const path of ['/partner-api/Auth/token', '/partner-api/auth/TOKEN/', '/oauth/token?a=b', '/oauth/token/?a=b']) {
    const bytes = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(17_000)}\r\n\r\n`
    const { status, headers, body } = await sendRaw(service.baseUrl, bytes)
    assert.equal(status, 431)
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual(Object.keys(JSON.parse(body)), ['error', 'error_description'])
    assert.equal(JSON.parse(body).error, 'invalid_request')
  }
})

test('a request with an unknown Expect header is handled normally', async () => {
  const { status, headers, body } = await sendRaw(
    service.baseUrl,
    'GET /partner-api/Quotes HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
  )
  assert.equal(status, 401)
  assert.match(headers.get('x-request-id') ?? '', /^request_/)
  assert.equal(JSON.parse(body).code, 'unauthenticated')
})
