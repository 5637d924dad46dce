import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { after, test } from 'node:test'
import { brotliCompressSync, constants } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { securityHeaders } from '../../src/platform/http/security-headers.ts'
import { connectPartner } from '../support/client.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestService } from '../support/service.ts'
import { prepareExampleRequests } from './example-requests.ts'

/** The size of a text as the service sends it. */
const compressedSize = (text: string | Uint8Array) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }).length

/** The paths that the service responds to. */
const served = new Set<string>()
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url }) => {
    if ([method].flat().includes('GET')) served.add(url)
  })
})

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
    // Browsers keep the documentation, but ask each time whether it has changed.
    const isDocs = path.startsWith('/docs')
    if (isDocs) assert.equal(header('cache-control'), 'no-cache')
    else if (seconds !== undefined) assert.equal(header('cache-control'), `public, max-age=${seconds}`)
    else assert.match(header('cache-control'), /\bno-store\b/)
    if (!isDocs && path !== '/openapi.json') assert.equal(header('etag'), '')
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
    // The guides and the pages of errors have a search, and one signs in for the others.
    assert.match(
      policy,
      /^\/$|^\/(docs|workplace)(\/|$)/.test(path) && !path.endsWith('.md')
        ? /form-action 'self'/
        : /form-action 'none'/,
    )
    assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|\*|https?:/)
    assert.equal(header('strict-transport-security'), '', 'not sent over http')
    assert.match(header('x-request-id'), /./)
  })
}

test('every HTML response comes from the one function and loads at most 30 KB; only the reference has styles inline', async () => {
  const own = '<!doctype html>\n<html lang="en-GB">\n<head>\n<meta charset="utf-8">\n<meta name="viewport"'
  // The card page is the simulated processor's.
  const others = /^\/sandbox\/card-setup(\/|$)/
  const paths = [
    ...[...served].map((url) => url.replaceAll(/:\w+|\*/g, 'x')),
    ...examples.filter(({ method = 'GET' }) => method === 'GET').map(({ path }) => path),
    ...['/docs/guides/webhooks', '/docs/errors/not_found', '/nothing', '/my-bills/%zz'],
  ]
  const found: string[] = []
  const weights = new Map<string, number>()
  for (const path of paths.filter((each) => !others.test(each))) {
    const headers = { accept: 'text/html' }
    const response = await fetch(`${service.baseUrl}${path}`, { headers, redirect: 'manual' })
    const text = await response.text()
    if (!/html/.test(response.headers.get('content-type') ?? '')) continue
    found.push(path)
    assert.ok(text.startsWith(own), `${path}: ${text.slice(0, 200)}`)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.ok(policy.startsWith("default-src 'none'; base-uri 'none'; "), `${path}: ${policy}`)
    assert.equal(policy.includes('unsafe-inline'), path === '/docs/reference', `${path}: ${policy}`)
    assert.doesNotMatch(text, /\sstyle="|\son[a-z]+="/, path)
    // What a first visit loads, without pictures. The reference's renderer is a program.
    if (path === '/docs/reference') continue
    let bytes = compressedSize(text)
    for (const [, asset = ''] of text.matchAll(/ (?:href|src)="(\/assets\/[^"]+\.(?:css|js))"/g)) {
      const known = weights.get(asset) ?? compressedSize(await (await fetch(`${service.baseUrl}${asset}`)).bytes())
      weights.set(asset, known)
      bytes += known
    }
    assert.ok(bytes <= 30_720, `${path}: ${bytes} bytes`)
  }
  assert.ok(found.length > 40, found.join())
})

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
