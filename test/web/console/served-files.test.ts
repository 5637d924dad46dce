import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { compileFunction } from 'node:vm'
import { consolePage } from '../../../src/web/console/console-pages.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const get = (path: string, headers = {}) => fetch(`${service.baseUrl}${path}`, { headers })
const page = await (await get('/console')).text()
const named = [...page.matchAll(/(?:href|src)="([^"]+)"/g)]
  .map(([, path = '']) => path)
  .filter((path) => path !== '/docs')
const folder = new URL('../../../console/', import.meta.url)

test('every console URL returns the same page, whose content security policy allows nothing from other origins', async () => {
  for (const path of [
    '/console',
    '/console/',
    '/console/webhooks',
    '/console/webhooks/webhook_1/deliveries?status=failed',
  ]) {
    const response = await get(path)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(await response.text(), page)
    const policy = (response.headers.get('content-security-policy') ?? '').split('; ')
    const [, importMap = ''] = /<script type="importmap">(.*?)<\/script>/s.exec(page) ?? []
    assert.deepEqual(policy, [
      "default-src 'none'",
      `script-src 'self' 'sha256-${createHash('sha256').update(importMap).digest('base64')}'`,
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types lit-html',
    ])
  }
  assert.doesNotMatch(page, /https?:\/\/|<script>|<style|style=|\son\w+=/)
})

test('the page tells the console whether the deployment is live and whether tokens come from an external provider', () => {
  const live = consolePage({ realm: 'live', tokensFrom: 'outside' }, []).markup
  assert.match(live, /data-realm="live" data-tokens="outside"/)
  assert.match(page, /data-realm="sandbox" data-tokens="here"/)
})

test('this server serves exactly the modules of the console, as JavaScript without types', async () => {
  const modules = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.ts'))
  const wanted = [...modules, 'lit-html/lit-html.ts']
    .map((path) => path.replace(/\.ts$/, '.js'))
    // A module that contains only types.
    .filter((path) => path !== 'page.js')
  const served = named.filter((path) => path.endsWith('.js')).map((path) => path.replace('/console/assets/', ''))
  assert.deepEqual([...new Set(served)].sort(), wanted.sort())
  for (const path of served) {
    const response = await get(`/console/assets/${path}`)
    assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8', path)
    const text = await response.text()
    // Parses the module as a function body, without imports and exports, which are not allowed there. Anything that is
    // not JavaScript fails.
    const body = text.replaceAll(/^import [^']*from '[^']+'/gm, '').replaceAll(/^export /gm, '')
    if (!path.startsWith('lit-html/')) assert.doesNotThrow(() => compileFunction(body), path)
    for (const [, target = ''] of text.matchAll(/^(?:import\b.*|\} )from '([^']+)'/gm))
      assert.match(target, /^(lit-html|\.{1,2}\/[\w./-]+\.js)$/, `${path} imports ${target}`)
    assert.doesNotMatch(text, /\b(fetch|import)\(\s*['"`]https?:/)
  }
})

test('files are cached by the browser and revalidated each time; unknown and private ones return 404', async () => {
  for (const path of new Set(named)) {
    const first = await get(path)
    assert.equal(first.status, 200, path)
    assert.equal(first.headers.get('cache-control'), 'no-cache')
    assert.equal(first.headers.get('x-content-type-options'), 'nosniff')
    const etag = first.headers.get('etag') ?? ''
    assert.match(etag, /^"[\w-]{43}"$/)
    await first.arrayBuffer()
    const again = await get(path, { 'If-None-Match': etag })
    assert.equal(again.status, 304)
    assert.equal(await again.text(), '')
  }
  for (const path of [
    'start.ts',
    'tsconfig.json',
    'nothing.js',
    '..%2fpackage.json',
    '../../package.json',
    'lit-html/package.json',
  ])
    assert.notEqual(
      (await get(`/console/assets/${path}`)).headers.get('content-type'),
      'text/javascript; charset=utf-8',
    )
  assert.equal((await get('/console/assets/start.ts')).status, 404)
  assert.equal((await get('/console/assets/tsconfig.json')).status, 404)
})
