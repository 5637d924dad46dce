import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listOperations } from '../../../src/web/docs/operation-links.ts'
import { listMessages, openApiDocument } from '../../support/openapi-responses.ts'
import { shareTestService } from '../../support/shared-service.ts'
import { idsIn, linksIn } from './page-text.ts'

const service = await shareTestService()

test('every link on every page reachable from /docs points to an existing page and anchor', async () => {
  const pages = new Map<string, string>()
  const waiting = ['/docs']
  const anchors: { from: string; path: string; anchor: string }[] = []
  for (let from = waiting.shift(); from !== undefined; from = waiting.shift()) {
    if (pages.has(from)) continue
    const response = await fetch(`${service.baseUrl}${from}`)
    const text = await response.text()
    assert.equal(response.status, 200, from)
    pages.set(from, text)
    // Skip the pages for developers and the machine-readable document.
    if (!from.startsWith('/docs')) continue
    for (const href of linksIn(text)) {
      if (/^https:\/\//.test(href)) continue
      assert.match(href, /^[/#]/, `${from} links to ${href}`)
      const [path = '', anchor] = href.split('#')
      const target = path === '' ? from : path
      waiting.push(target)
      if (anchor !== undefined) anchors.push({ from, path: target, anchor })
    }
  }
  // The renderer makes the anchors of the reference in the browser.
  const places = [...listOperations(openApiDocument), ...listMessages(openApiDocument)]
  const inReference = new Set(places.map(({ href }) => href))
  const missing = anchors.filter(
    ({ path, anchor }) => !inReference.has(`${path}#${anchor}`) && !idsIn(pages.get(path) ?? '').includes(anchor),
  )
  assert.deepEqual(missing, [])
  for (const name of ['authentication', 'sandbox', 'webhooks', 'developer-pages'])
    assert.ok(pages.has(`/docs/guides/${name}`), name)
  for (const path of ['/openapi.json', '/workplace/developers/sign-in', '/docs/errors/quote_expired'])
    assert.ok(pages.has(path), path)
})

test('ids are unique on every page', async () => {
  for (const path of ['/docs', '/docs/guides/webhooks', '/docs/guides/sandbox', '/docs/guides/api-behaviour']) {
    const ids = idsIn(await (await fetch(`${service.baseUrl}${path}`)).text())
    assert.equal(new Set(ids).size, ids.length, path)
  }
})
