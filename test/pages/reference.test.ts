import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listOperations } from '../../src/http/routes/docs/operation-links.ts'
import { openApiDocument } from '../support/openapi-responses.ts'
import { startTestService } from '../support/service.ts'
import { seriousFaults } from './accessibility.ts'
import { launchBrowser, openPage } from './browser.ts'

const [service, browser] = await Promise.all([startTestService(), launchBrowser()])
after(async () => {
  await browser.close()
  await service.stop()
})

test('the reference shows every operation at its link, and asks no other server for anything', async (t) => {
  const page = await openPage(t, browser)
  await page.setViewportSize({ width: 1280, height: 900 })
  const elsewhere: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(service.baseUrl) && !url.startsWith('data:') && !url.startsWith('blob:')) elsewhere.push(url)
  })
  await page.goto(`${service.baseUrl}/docs`)
  const operations = listOperations(openApiDocument)
  for (const tag of new Set(operations.map(({ href }) => href.split('/')[2] ?? ''))) {
    await page.goto(`${service.baseUrl}/docs#tag/${tag}`)
    for (const { href, summary } of operations.filter((each) => each.href.split('/')[2] === tag)) {
      const link = page.locator(`a[href="${href.replace('/docs', '')}"]`).first()
      await link.waitFor()
      assert.ok((await link.textContent())?.includes(summary), href)
    }
  }
  await page.goto(`${service.baseUrl}/docs#tag/quotes/createQuote`)
  await page.getByText('/partner-api/Quotes').first().waitFor()
  assert.deepEqual(elsewhere, [])
})

test('a page of the documentation has no serious fault for people with disabilities, in light and in dark colours', async (t) => {
  const page = await openPage(t, browser)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const path of [
      '/docs/guides',
      '/docs/guides/quickstart',
      '/docs/guides/errors-and-retries',
      '/docs/guides/webhooks',
      '/docs/errors',
      '/docs/errors/not_found',
      '/docs/search?q=retry',
    ]) {
      await page.goto(`${service.baseUrl}${path}`)
      assert.deepEqual(await seriousFaults(page), [], `${path} ${colorScheme}`)
    }
  }
})

test('the reference has no serious fault for people with disabilities', async (t) => {
  const page = await openPage(t, browser)
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`${service.baseUrl}/docs#tag/quotes/createQuote`)
    await page.getByText('quote_', { exact: false }).first().waitFor()
    assert.deepEqual(await seriousFaults(page), [], `${width}`)
    await page.goto('about:blank')
  }
})
