import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, connectPartner } from '../support/client.ts'
import { findProperty } from '../support/household.ts'
import { type RawResponse, sendRaw } from '../support/raw-http.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const { clientId, clientSecret } = service.credentials

/** Each character as its percent code, `times` times over. */
function encoded(text: string, times: number): string {
  const once = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return times === 1 ? once : encodeURIComponent(encoded(text, times - 1))
}

test('a path is percent-decoded once: encoded twice, it is unknown', async () => {
  const withToken = { headers: { Authorization: `Bearer ${partner.token}` } }
  const get = (name: string) => call(service.baseUrl, 'GET', `/partner-api/${name}`, undefined, withToken)
  assert.equal((await get(encoded('Quotes', 1))).status, 200)
  rejected(await get(encoded('Quotes', 2)), 404, 'not_found')
})

test('a query parameter is percent-decoded once: encoded twice, it is a different text', async () => {
  const lookUp = (postcode: string) => partner.get(`/Addresses/lookup?postcode=${postcode}`)
  assert.notDeepEqual((await lookUp(encoded('NR4 7TJ', 1))).body, [])
  assert.deepEqual((await lookUp(encoded('NR4 7TJ', 2))).body, [])
})

test('a form is percent-decoded once: credentials encoded twice are wrong', async () => {
  const status = async (times: number) => {
    const form = `grant_type=client_credentials&client_id=${clientId}&client_secret=${encoded(clientSecret, times)}`
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    return (await call(service.baseUrl, 'POST', '/oauth/token', undefined, { rawBody: form, headers })).status
  }
  assert.equal(await status(1), 200)
  assert.equal(await status(2), 401)
})

test('text in JSON is not decoded any further', async () => {
  const reference = '%41 &amp; \\u0041 +'
  const addressUid = await findProperty(partner, 'NR4 7TJ')
  const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid, reference }))
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).reference, reference)
})

const send = (...lines: string[]): Promise<RawResponse> =>
  sendRaw(service.baseUrl, Buffer.from(lines.join('\r\n'), 'latin1'))

/** How many responses came back on the connection. */
const answersIn = ({ body }: RawResponse) => 1 + [...body.matchAll(/HTTP\/1\.1 \d{3}/g)].length

/** A second request inside the body of the first. It runs only if the server misjudges where that body ends. */
const smuggled = [
  'POST /partner-api/Quotes HTTP/1.1',
  'Host: x',
  `Authorization: Bearer ${partner.token}`,
  'Content-Type: application/json',
  'Content-Length: 120',
  '',
  JSON.stringify({ addressUid: ordinaryProperty().addressUid, reference: 'smuggled' }).padEnd(120),
]

test('a body whose end is ambiguous is rejected, and nothing after it is read', async () => {
  const framings = [
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Content-Length: 5'],
    ['Content-Length: 5', 'Content-Length: 6'],
    ['Content-Length: 5, 6'],
    ['Content-Length: +5'],
    ['Content-Length: 0x5'],
    ['Content-Length: 5 5'],
    ['Content-Length: 99999999999999999999'],
    ['Content-Length: -5'],
    ['Content-Length : 5'],
    ['Transfer-Encoding : chunked'],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: chunkedx'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding: gzip'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ['Transfer-Encoding:\r\n chunked\r\n, identity'],
    ['Transfer-Encoding: \x0bchunked'],
    [' Transfer-Encoding: chunked'],
    ['X: y\nTransfer-Encoding: chunked'],
    ['X: y\rTransfer-Encoding: chunked'],
    ['X: \x00'],
  ]
  for (const path of ['/partner-api/Quotes', '/partner-api/Auth/token', '/oauth/token', '/partner-api/Auth/revoke']) {
    for (const framing of framings) {
      const answer = await send(`POST ${path} HTTP/1.1`, 'Host: x', ...framing, '', '0', '', ...smuggled)
      const about = `${path} ${JSON.stringify(framing)} ${answer.body}`
      assert.equal(answer.status, 400, about)
      assert.equal(answersIn(answer), 1, about)
      assert.equal(answer.headers.get('connection'), 'close', about)
      const isProblem = path === '/partner-api/Quotes'
      const type = isProblem ? 'application/problem+json' : 'application/json'
      assert.equal(answer.headers.get('content-type'), `${type}; charset=utf-8`, about)
      if (!isProblem) assert.deepEqual(Object.keys(JSON.parse(answer.body)), ['error', 'error_description'], about)
    }
  }
  const { data } = succeeded(await partner.get('/Quotes?reference=smuggled'))
  assert.deepEqual(data, [])
})

test('malformed chunks and chunks of the wrong size are rejected', async () => {
  for (const chunks of [
    'zz\r\n',
    '5\r\nabcdefgh\r\n0\r\n\r\n',
    '-1\r\n\r\n',
    '0x5\r\nabcde\r\n0\r\n\r\n',
    '5\nabcde\n0\n\n',
  ]) {
    const answer = await send(
      'POST /partner-api/Auth/token HTTP/1.1',
      'Host: x',
      'Transfer-Encoding: chunked',
      'Connection: close',
      '',
      chunks,
    )
    assert.equal(answer.status, 400, chunks)
    assert.equal(answersIn(answer), 1)
  }
})

test('a request must name exactly one valid host, but a request older than HTTP/1.1 may name none', async () => {
  const health = (version: string, ...headers: string[]) =>
    send(`GET /health/live HTTP/${version}`, ...headers, 'Connection: close', '', '')
  for (const headers of [
    [],
    ['Host: a', 'Host: b'],
    ['Host: a', 'host: a'],
    ['Host:'],
    ['Host: a b'],
    ['Host: a/b'],
    ['Host: a@b'],
    ['Host: <script>'],
    ['Host: a:99999999'],
    ['Host: a, b?'],
  ]) {
    const { status, body } = await health('1.1', ...headers)
    assert.equal(status, 400, `${headers}: ${body}`)
    assert.equal(JSON.parse(body).code, 'invalid_request')
  }
  for (const host of ['x', 'bills.example:8080', '127.0.0.1', '[::1]:8080', 'x-y_z.example.'])
    assert.equal((await health('1.1', `Host: ${host}`)).status, 200, host)
  assert.equal((await health('1.0')).status, 200)
  assert.equal((await health('1.0', 'Host: a', 'Host: b')).status, 400)
  const token = await send('POST /oauth/token HTTP/1.1', 'Content-Length: 0', 'Connection: close', '', '')
  assert.equal(token.status, 400)
  assert.deepEqual(Object.keys(JSON.parse(token.body)), ['error', 'error_description'])
})

test('a second Host, Authorization or Content-Type closes the connection, so that what follows on it is not read', async () => {
  for (const name of ['Host', 'Authorization', 'Content-Type']) {
    const headers = name === 'Host' ? ['Host: x', 'Host: y'] : ['Host: x', `${name}: a`, `${name}: b`]
    const answer = await send(
      'GET /health/live HTTP/1.1',
      ...headers,
      '',
      'GET /health/live HTTP/1.1',
      'Host: x',
      '',
      '',
    )
    assert.equal(answer.status, 400)
    assert.equal(answer.headers.get('connection'), 'close', name)
    assert.equal(answersIn(answer), 1, name)
  }
})

test('repeated Authorization or Content-Type headers are rejected, even if their values are equal', async () => {
  for (const [first, second] of [
    ['Authorization: Bearer a', 'authorization: Bearer b'],
    ['Authorization: Bearer a', 'Authorization: Bearer a'],
    ['Content-Type: application/json', 'Content-Type: text/plain'],
  ] as const) {
    const { status, body } = await send(
      'POST /partner-api/Quotes HTTP/1.1',
      'Host: x',
      first,
      second,
      'Content-Length: 0',
      'Connection: close',
      '',
      '',
    )
    assert.equal(status, 400, body)
    const { code, detail } = JSON.parse(body)
    assert.deepEqual([code, detail], ['invalid_request', `Send at most one ${first.split(':', 1)} header.`])
  }
  const twice = ['Authorization: Basic YTpi', 'Authorization: Basic YTpj', 'Content-Length: 0', 'Connection: close']
  const token = await send('POST /oauth/token HTTP/1.1', 'Host: x', ...twice, '', '')
  assert.equal(token.status, 400)
  assert.deepEqual(Object.keys(JSON.parse(token.body)), ['error', 'error_description'])
})

test('the Host header does not affect the URLs in a response', async () => {
  const { body } = await send('GET /openapi.json HTTP/1.1', 'Host: evil.example', 'Connection: close', '', '')
  assert.equal(body.includes('evil.example'), false)
  const problem = await send('GET /nothing HTTP/1.1', 'Host: evil.example', 'Connection: close', '', '')
  assert.equal(JSON.parse(problem.body).type, `${service.baseUrl}/docs/errors/not_found`)
})

test('an http URL as the request target is reduced to its path; any other target without a leading slash is rejected', async () => {
  const get = async (target: string) =>
    (await send(`GET ${target} HTTP/1.1`, 'Host: x', 'Connection: close', '', '')).status
  assert.equal(await get('http://x/health/live'), 200)
  assert.equal(await get('http://evil.example/health/live'), 200)
  assert.equal(await get('http://x/nothing'), 404)
  assert.equal(await get('ftp://x/health/live'), 404)
  for (const target of ['health/live', 'x:80', '\\health\\live']) assert.equal(await get(target), 400, target)
})

test('CONNECT is rejected with a problem document, and no connection is opened', async () => {
  for (const target of ['evil.example:443', '127.0.0.1:22', '[::1]:80']) {
    const answer = await send(`CONNECT ${target} HTTP/1.1`, 'Host: x', '', 'GET / HTTP/1.1', 'Host: x', '', '')
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.get('allow'), 'DELETE, GET, HEAD, PATCH, POST')
    assert.equal(JSON.parse(answer.body).code, 'method_not_allowed')
    assert.equal(answersIn(answer), 1)
  }
  const token = await send('CONNECT /oauth/token HTTP/1.1', 'Host: x', '', '')
  assert.ok([400, 405].includes(token.status))
  assert.deepEqual(Object.keys(JSON.parse(token.body)), ['error', 'error_description'])
})

test('a request to upgrade to another protocol is ignored', async () => {
  const answer = await send(
    'GET /health/live HTTP/1.1',
    'Host: x',
    'Upgrade: websocket, h2c',
    'Connection: Upgrade, close',
    '',
    '',
  )
  assert.equal(answer.status, 200)
})

test('a method override in a header or in the query changes nothing', async () => {
  const answer = await send(
    'GET /partner-api/Quotes?_method=DELETE HTTP/1.1',
    'Host: x',
    'X-HTTP-Method-Override: POST',
    `Authorization: Bearer ${partner.token}`,
    'Connection: close',
    '',
    '',
  )
  assert.equal(answer.status, 400)
  assert.deepEqual(
    JSON.parse(answer.body).errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/query/_method'],
  )
})
