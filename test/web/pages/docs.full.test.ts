import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestService } from '../../support/service.ts'
import { openPage, shareBrowser } from './browser.ts'

const [service, browser] = await Promise.all([startTestService(), shareBrowser()])
after(async () => {
  await service.stop()
})

const paths = [
  '/docs/guides',
  '/docs/guides/quickstart',
  '/docs/guides/errors-and-retries',
  '/docs/guides/idempotency',
  '/docs/guides/selling-from-your-tenancy-flow',
  '/docs/guides/authentication',
  '/docs/guides/sandbox',
  '/docs/guides/webhooks',
  '/docs/guides/console',
  '/docs/guides/api-behaviour',
  '/docs/errors',
]

test('a page of the documentation is never wider than the screen, on a phone or on a desktop', async (t) => {
  const page = await openPage(t, browser)
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    for (const path of paths) {
      await page.goto(`${service.baseUrl}${path}`)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${path} at ${width}`)
    }
  }
})

test('on a phone, an example scrolls in its own box, which a keyboard reaches, and a button copies it', async (t) => {
  const page = await openPage(t, browser)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${service.baseUrl}/docs/guides/webhooks`)
  const example = page.locator('pre').first()
  await example.focus()
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'PRE')
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), await example.textContent())
})
