import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestService } from '../support/service.ts'
import { launchBrowser, openPage } from './browser.ts'

const [service, browser] = await Promise.all([startTestService(), launchBrowser()])
after(async () => {
  await browser.close()
  await service.stop()
})

const paths = [
  '/docs',
  '/docs/operations/finalisePersonalInformation',
  '/docs/operations/listEvents',
  '/docs/operations/exportCustomer',
  '/docs/operations/runBroadbandAvailabilityCheck',
  '/docs/events/customer.payment.updated',
  '/docs/guides/authentication',
  '/docs/guides/sandbox',
  '/docs/guides/webhooks',
  '/docs/guides/console',
  '/docs/guides/api-behaviour',
  '/docs/errors',
]

test('a reference page is never wider than the screen, on a phone or on a desktop', async (t) => {
  const page = await openPage(t, browser)
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    for (const path of paths) {
      await page.goto(`${service.baseUrl}${path}`)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${path} at ${width}`)
    }
  }
})

test('on a phone, a field table needs no scrolling, and wide content scrolls in its own box', async (t) => {
  const page = await openPage(t, browser)
  await page.setViewportSize({ width: 390, height: 844 })
  for (const path of paths.slice(1, 5)) {
    await page.goto(`${service.baseUrl}${path}`)
    const wide = `[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length`
    assert.equal(await page.evaluate(wide), 0, path)
  }
  await page.goto(`${service.baseUrl}/docs/operations/createQuote`)
  await page.locator('pre').first().focus()
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'PRE')
})
