import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { securityHeaders } from '../../src/platform/http/security-headers.ts'
import { connectPartner } from '../support/client.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestService } from '../support/service.ts'
import { prepareExampleRequests } from './example-requests.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const examples = await prepareExampleRequests(service, partner)

/** Caches may keep the responses of these paths, because they are the same for everybody. */
const publicPaths = new Map([
  ['/.well-known/jwks.json', 300],
  ['/.well-known/oauth-authorization-server', 300],
  ['/openapi.json', 86_400],
])

for (const { what, path, method = 'GET', headers: sent = {}, body } of examples) {
  test(`${method} ${what}: the response states its charset, is not cached, runs no script, cannot be framed and sends no referrer`, async () => {
    const response = await fetch(`${service.baseUrl}${path}`, {
      method,
      headers: sent,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    })
    const { byteLength } = await response.arrayBuffer()
    const header = (name: string) => response.headers.get(name) ?? ''
    const type = header('content-type')
    if (byteLength > 0) assert.match(type, /^(application\/pdf|[\w-]+\/[\w+.-]+; charset=utf-8)$/)
    assert.ok(response.status < 500, String(response.status))
    const seconds = publicPaths.get(path)
    if (seconds !== undefined) assert.equal(header('cache-control'), `public, max-age=${seconds}`)
    else assert.match(header('cache-control'), /\bno-store\b/)
    if (path !== '/openapi.json') assert.equal(header('etag'), '')
    for (const name of [
      'last-modified',
      'expires',
      'server',
      'x-powered-by',
      'access-control-allow-origin',
      'set-cookie',
    ])
      assert.equal(header(name), '', name)
    assert.equal(header('x-content-type-options'), 'nosniff')
    assert.equal(header('referrer-policy'), 'no-referrer')
    assert.equal(header('x-frame-options'), 'DENY')
    assert.equal(header('cross-origin-resource-policy'), 'same-origin')
    assert.equal(header('cross-origin-opener-policy'), 'same-origin')
    assert.match(header('permissions-policy'), /camera=\(\)/)
    const policy = header('content-security-policy')
    assert.match(policy, /^default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /base-uri 'none'/)
    // The guides and the pages of errors have a search.
    assert.match(policy, path.startsWith('/docs/') ? /form-action 'self'/ : /form-action 'none'/)
    assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|\*|https?:/)
    assert.equal(header('strict-transport-security'), '', 'not sent over http')
    assert.match(header('x-request-id'), /./)
  })
}

test('responses to malformed requests have the same headers', async () => {
  for (const bytes of [
    'nonsense\r\n\r\n',
    'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
    'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
  ]) {
    const { headers } = await sendRaw(service.baseUrl, bytes)
    for (const [name, value] of Object.entries(securityHeaders(service.baseUrl)))
      assert.equal(headers.get(name.toLowerCase()), value, `${bytes}: ${name}`)
  }
})

test('with an https public address, responses tell browsers to use https only', () => {
  assert.equal(securityHeaders('https://bills.example')['Strict-Transport-Security'], 'max-age=31536000')
  assert.equal('Strict-Transport-Security' in securityHeaders('http://localhost:8080'), false)
})
