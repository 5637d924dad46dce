import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { bodyLimitBytes, defaultServerLimits } from '../../src/platform/http/server-limits.ts'
import { assertTokenError } from '../partners/token-calls.ts'
import { readSource } from '../structure/tree.ts'
import { call, connectPartner } from '../support/client.ts'
import { sendRaw } from '../support/raw-http.ts'
import { invalidFields, rejected } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

/** Sends a hand-written request and returns the status and problem code of the response. */
async function send(firstLine: string, ...headers: string[]): Promise<[status: number, code: string]> {
  const bytes = [firstLine, 'Host: x', ...headers, 'Connection: close', '', ''].join('\r\n')
  const answer = await sendRaw(service.baseUrl, bytes)
  if (answer.status === 200) return [200, '']
  assert.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.equal(JSON.parse(answer.body).status, answer.status)
  return [answer.status, JSON.parse(answer.body).code]
}

test('headers over 16 KiB return 431, whether in one field or in many', async () => {
  const live = 'GET /health/live HTTP/1.1'
  assert.deepEqual(await send(live, `X-Large: ${'a'.repeat(15_000)}`), [200, ''])
  assert.deepEqual(await send(live, `X-Large: ${'a'.repeat(16_400)}`), [431, 'headers_too_large'])
  const many = Array.from({ length: 40 }, (_, index) => `X-${index}: ${'a'.repeat(500)}`)
  assert.deepEqual(await send(live, ...many), [431, 'headers_too_large'])
})

test('more than 100 header fields, even small ones, return 431; none is dropped silently', async () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: a`)
  const live = 'GET /health/live HTTP/1.1'
  assert.deepEqual(await send(live, ...fields(98)), [200, ''])
  assert.deepEqual(await send(live, ...fields(99)), [431, 'headers_too_large'])
  assert.deepEqual(await send(live, ...fields(2_100).map(() => 'a:')), [431, 'headers_too_large'])
})

test('more than 100 query parameters return one error', async () => {
  const query = (count: number) => Array.from({ length: count }, (_, index) => `a${index}=1`).join('&')
  const some = rejected(await partner.get(`/Quotes?${query(100)}`), 400, 'invalid_request')
  assert.equal(some.errors?.length, 100)
  const tooMany = rejected(await partner.get(`/Quotes?${query(101)}`), 400, 'invalid_request')
  assert.equal(tooMany.errors, undefined)
  assert.match(tooMany.detail, /at most 100 query parameters/)
})

test('a body with more than 1,000 values returns one error in a small response', async () => {
  const send = (rawBody: string) =>
    partner.post('/Quotes', undefined, { rawBody, headers: { 'Content-Type': 'application/json' } })
  const { addressUid } = ordinaryProperty()
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  const fields = (count: number) => Object.fromEntries(numbers(count).map((index) => [`a${index}`, index]))
  const bodies = [
    { addressUid, packages: numbers(12_000) },
    { addressUid, ...fields(5_000) },
    { addressUid, packages: numbers(100).map(() => numbers(100)) },
    { addressUid, packages: numbers(1_100).map(() => ({})) },
  ]
  for (const body of bodies) {
    const answer = await send(JSON.stringify(body))
    assert.deepEqual(invalidFields(rejected(answer, 400, 'invalid_request')), [['', 'too_long']])
    assert.ok(answer.text.length < 1_000)
  }
  assert.equal(invalidFields(rejected(await send(JSON.stringify(fields(1_000))), 400, 'invalid_request')).length, 1_001)
  const nothingTaken = await partner.post('/Quotes/of_nobody/cancel', fields(1_001))
  assert.deepEqual(invalidFields(rejected(nothingTaken, 400, 'invalid_request')), [['', 'too_long']])
})

/** The service runs in this process, so a polluted prototype would show here. */
afterEach(() => {
  for (const victim of [{}, [], Object, Array, '', 0, () => 0]) {
    assert.equal((victim as { polluted?: unknown }).polluted, undefined)
    assert.equal((victim as { isAdmin?: unknown }).isAdmin, undefined)
  }
  assert.deepEqual(Object.keys(Object.prototype), [])
})

const poison = '{"polluted":true,"isAdmin":true,"addressUid":"x","tenants":[],"packageIds":[]}'
test('token calls ignore fields that name a prototype and reject repeated fields, both in JSON and in forms', async () => {
  const { clientId, clientSecret } = service.credentials
  const send = (rawBody: string, type: string, path = '/partner-api/Auth/token') =>
    call(service.baseUrl, 'POST', path, undefined, { rawBody, headers: { 'Content-Type': type } })
  const form = 'application/x-www-form-urlencoded'
  const right = `clientId=${clientId}&clientSecret=${clientSecret}`
  for (const path of ['/partner-api/Auth/token', '/oauth/token']) {
    assert.equal((await send(`${right}&__proto__[polluted]=1&constructor=2&a[b]=c`, form, path)).status, 200)
    const asJson = JSON.stringify({ clientId, clientSecret }).replace('{', `{"__proto__":${poison},"constructor":1,`)
    assert.equal((await send(asJson, 'application/json', path)).status, 200)
    const inPrototype = `{"__proto__":${JSON.stringify({ clientId, clientSecret })}}`
    assert.equal((await send(inPrototype, 'application/json', path)).status, 400)
    for (const [body, type] of [
      [`${right}&clientId=other`, form],
      [`${right}&clientSecret=${clientSecret}`, form],
      [`clientId[]=${clientId}&clientSecret=${clientSecret}`, form],
      [`{"clientId":"${clientId}","clientSecret":"${clientSecret}","clientId":"other"}`, 'application/json'],
      [`{"clientId":"${clientId}","clientSecret":"${clientSecret}","client\\u0049d":"other"}`, 'application/json'],
      [`{"clientId":["${clientId}"],"clientSecret":"${clientSecret}"}`, 'application/json'],
    ] as const) {
      const response = await send(body, type, path)
      assertTokenError(response, 400, 'invalid_request')
    }
  }
})

test('a contract link with a repeated or nested token is rejected', async () => {
  const url = `${service.baseUrl}/contracts/tenant_01h455vb4pex5vsknk084sn02q/pre-contract-information.html`
  for (const query of ['token=a&token=b', 'token[]=a', '__proto__[token]=a'])
    assert.equal((await fetch(`${url}?${query}`)).status, 403)
})

const {
  headerBytes,
  headerFields,
  queryParameters,
  headersMs,
  requestMs,
  idleMs,
  strangerIdleMs,
  stalledMs,
  ...counts
} = defaultServerLimits
const figure = (count: number) => count.toLocaleString('en-GB')
const seconds = (ms: number) => `${ms / 1000} s`

/** The default limits of a service. The other tests of limits set lower ones. */
const limits: [what: string, text: string][] = [
  ['first line and headers', `${figure(headerBytes)} bytes, ${figure(headerFields)} fields`],
  ['query parameters', figure(queryParameters)],
  ['body', `${figure(bodyLimitBytes)} bytes`],
  ['JSON', '1,000 values (of an import, 16,000), 20 levels'],
  ['headers in full', seconds(headersMs)],
  ['body in full', seconds(requestMs)],
  ['no byte either way', seconds(stalledMs)],
  ['idle between requests', seconds(idleMs)],
  ['without an authenticated request', seconds(strangerIdleMs)],
  ['requests on one connection', figure(counts.requestsPerConnection)],
  ['connections |', figure(counts.connections)],
  ['connections from one', figure(counts.connectionsPerSite)],
]

test('the default connection and request limits in docs/configuration.md match those in use', () => {
  const { text } = readSource('docs/configuration.md')
  const section = text.slice(text.indexOf('## Limits of connections and requests'))
  const rows = [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].map(([, what = '', limit = '']) => [what, limit])
  for (const [what, limit] of limits) {
    const documented = rows.find(([name = '']) => `${name} |`.startsWith(what))
    assert.ok(documented?.[1]?.startsWith(limit), `${what}: ${limit}, documented: ${documented?.[1]}`)
  }
})
