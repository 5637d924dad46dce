import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { decodeJwt } from 'jose'
import { routes } from '../../../src/app/http/routes.ts'
import { scopes } from '../../../src/partners/scopes.ts'
import { isAtLoopbackSandbox } from '../../../src/platform/http/client-address.ts'
import { listOperations } from '../../../src/web/docs/operation-links.ts'
import { call } from '../../support/client.ts'
import { openApiDocument } from '../../support/openapi-responses.ts'
import { rejected } from '../../support/responses.ts'
import { sandboxCredentials } from '../../support/sandbox-contents.ts'
import { shareTestService } from '../../support/shared-service.ts'
import { headingLevels } from './page-text.ts'

const service = await shareTestService()

interface Operation {
  operationId: string
  responses: Record<string, { 'x-error-codes'?: string[] }>
}

const paths = openApiDocument.paths as Record<string, Record<string, Operation>>
const operations = Object.values(paths).flatMap((byMethod) => Object.values(byMethod))

test('every error response of an operation lists its codes in the API document', () => {
  const ids = new Set(routes.map(({ operationId }) => operationId))
  const ofTable = operations.filter(({ operationId }) => ids.has(operationId))
  assert.equal(ofTable.length, routes.length)
  for (const operation of ofTable)
    for (const [status, response] of Object.entries(operation.responses))
      if (status !== '200') assert.ok(response['x-error-codes']?.length, `${operation.operationId} ${status}`)
})

test('unknown documentation pages of every kind return 404, like any other unknown path', async () => {
  for (const path of [
    '/docs/operations',
    '/docs/operations/nothing',
    '/docs/operations/createquote',
    '/docs/operations/__proto__',
    '/docs/operations/createQuote/more',
    '/docs/events/nothing',
    '/docs/guides/nothing',
    '/docs/guides/webhooks.md.md',
    '/docs/guides/constructor',
    '/docs/guides/..%2f..%2fpackage.json',
  ])
    rejected(await call(service.baseUrl, 'GET', path), 404, 'not_found')
})

test('an operation’s former page leads to its place in the reference', async () => {
  const response = await fetch(`${service.baseUrl}/docs/operations/createQuote`, { redirect: 'manual' })
  assert.deepEqual([response.status, response.headers.get('location')], [308, '/docs/reference#tag/quotes/createQuote'])
})

test('a guide or error page runs only our script, loads nothing from elsewhere and has its headings in order', async () => {
  for (const path of ['/docs', '/docs/guides/webhooks', '/docs/errors', '/docs/errors/not_found']) {
    const answer = await fetch(`${service.baseUrl}${path}`)
    assert.equal(
      answer.headers.get('content-security-policy'),
      "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'",
    )
    const page = await answer.text()
    assert.match((page.match(/<script[^>]*>/g) ?? []).join(), /^<script src="\/assets\/[0-9a-f]{16}\.js" defer>$/, path)
    assert.doesNotMatch(page, /\sstyle=|\son\w+=|src="(https?:)?\/\//)
    const levels = headingLevels(page)
    assert.deepEqual([levels[0], levels.filter((level) => level === 1).length], [1, 1], path)
    for (const [index, level] of levels.entries()) assert.ok(level <= (levels[index - 1] ?? 1) + 1, `${path} ${levels}`)
    assert.match(page, /<title>[^<]+ · Housebill<\/title>/)
    assert.doesNotMatch(page, /<th(?![^>]*scope=)[ >]/)
    for (const [nav] of page.matchAll(/<nav[^>]*>/g)) assert.match(nav, /aria-label="[^"]+"/)
  }
})

test('the reference may run and reach only this server, and offers to send requests in a sandbox', async () => {
  for (const path of ['/docs/reference', '/docs/reference/']) {
    const answer = await fetch(`${service.baseUrl}${path}`)
    const policy = answer.headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(part), part)
    assert.match(await answer.text(), /data-try-it="yes"/)
  }
})

test('llms.txt lists every operation and the Markdown of every page, whose links lead to the Markdown of others', async () => {
  const text = await (await fetch(`${service.baseUrl}/llms.txt`)).text()
  for (const { summary } of listOperations(openApiDocument)) assert.ok(text.includes(summary), summary)
  const twins = [...text.matchAll(/\]\((\S+\.md)\)/g)].map(([, url = '']) => url)
  for (const path of ['', '/guides/quickstart', '/guides/operator/api', '/errors', '/errors/not_found', '/changelog'])
    assert.ok(twins.includes(`${service.baseUrl}/docs${path}.md`), path)
  const found = new Set<string>()
  for (const url of twins) {
    const response = await fetch(url)
    assert.deepEqual(
      [response.status, response.headers.get('content-type')],
      [200, 'text/markdown; charset=utf-8'],
      url,
    )
    for (const [, target = ''] of (await response.text()).matchAll(/\]\(([^)#\s]+\.md)[#)]/g)) found.add(target)
  }
  assert.deepEqual(
    [...found].filter((url) => !twins.includes(url)),
    [],
  )
})

test('a wrong address below /docs shows a reader the list of guides, and the search', async () => {
  const response = await fetch(`${service.baseUrl}/docs/guides/web-hooks`, { headers: { accept: 'text/html' } })
  const page = await response.text()
  assert.equal(response.status, 404)
  for (const part of ['There is no page here', 'href="/docs/guides/webhooks"', 'role="search"'])
    assert.ok(page.includes(part), part)
})

test('the reference of a sandbox on this machine gets a token of 15 minutes that opens the API, and no other page does', async () => {
  const post = (origin: string | undefined, at = service.baseUrl) =>
    fetch(`${at}/docs/reference/token`, { method: 'POST', headers: origin === undefined ? {} : { origin } })
  const given = await post(service.baseUrl)
  assert.deepEqual([given.status, given.headers.get('cache-control')], [200, 'no-store'])
  const { access_token: token, expires_in: seconds } = (await given.json()) as {
    access_token: string
    expires_in: number
  }
  const { client_id: clientId, iat = 0, exp = 0, scope } = decodeJwt(token)
  assert.deepEqual([seconds, exp - iat, clientId], [900, 900, sandboxCredentials.clientId])
  assert.deepEqual(new Set(String(scope).split(' ')), new Set(scopes))
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await fetch(`${service.baseUrl}/partner-api/Quotes`, { headers })).status, 200)

  const elsewhere = service.baseUrl.replace('127.0.0.1', 'localhost')
  for (const origin of [undefined, 'null', 'https://evil.example', elsewhere])
    assert.equal((await post(origin)).status, 403, `${origin}`)
  assert.equal((await post(elsewhere, elsewhere)).status, 404)
  assert.equal((await post(service.baseUrl, elsewhere)).status, 404)
  const [here, there] = await Promise.all(
    [service.baseUrl, elsewhere].map(async (at) => (await fetch(`${at}/docs/reference`)).text()),
  )
  assert.deepEqual(
    [here, there].map((page) => page?.includes('data-token=')),
    [true, false],
  )
})

test('a sandbox is not on its reader’s machine if it is live, has another name, listens elsewhere or is behind a proxy', () => {
  const at = { realm: 'sandbox', publicUrl: 'http://localhost:8080', trustedProxies: [] } as const
  const sent = { socket: { localAddress: '::ffff:127.0.0.1' }, headers: { host: 'localhost:8080' } } as FastifyRequest
  assert.equal(isAtLoopbackSandbox(sent, at), true)
  const others = [
    [{ ...at, realm: 'live' }, sent],
    [
      { ...at, publicUrl: 'http://sandbox.example' },
      { ...sent, headers: { host: 'sandbox.example' } },
    ],
    [{ ...at, trustedProxies: ['10.0.0.1'] }, sent],
    [at, { ...sent, socket: { localAddress: '192.0.2.1' } }],
    [at, { ...sent, headers: { host: 'sandbox.example' } }],
  ] as [Parameters<typeof isAtLoopbackSandbox>[1], FastifyRequest][]
  for (const [place, request] of others) assert.equal(isAtLoopbackSandbox(request, place), false, JSON.stringify(place))
})

const rendererPath =
  /data-renderer="([^"]+)"/.exec(await (await fetch(`${service.baseUrl}/docs/reference`)).text())?.[1] ?? ''

test('the icon and the files of the pages are served compressed with their types', async () => {
  for (const [path, type] of [
    ['/favicon.svg', 'image/svg+xml'],
    ['/docs/assets/quote-life-cycle.svg', 'image/svg+xml'],
    [rendererPath, 'text/javascript; charset=utf-8'],
    ['/docs/guides/webhooks', 'text/html; charset=utf-8'],
    ['/docs/search.json', 'application/json; charset=utf-8'],
  ] as const) {
    const response = await fetch(`${service.baseUrl}${path}`, { headers: { 'accept-encoding': 'br' } })
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, type], path)
    assert.equal(response.headers.get('content-encoding'), 'br', path)
  }
})
