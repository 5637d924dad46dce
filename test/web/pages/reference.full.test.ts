import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listOperations } from '../../../src/web/docs/operation-links.ts'
import { listMessages, openApiDocument } from '../../support/openapi-responses.ts'
import { startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'
import { accessibilityFaults } from './accessibility.ts'
import { openPage, shareBrowser } from './browser.ts'

const [service, browser] = await Promise.all([startTestService(), shareBrowser()])
after(async () => {
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
  await page.goto(`${service.baseUrl}/docs/reference`)
  const operations = listOperations(openApiDocument)
  for (const tag of new Set(operations.map(({ href }) => href.split('/')[3] ?? ''))) {
    await page.goto(`${service.baseUrl}/docs/reference#tag/${tag}`)
    for (const { href, summary } of operations.filter((each) => each.href.split('/')[3] === tag)) {
      const link = page.locator(`a[href="${href.replace('/docs/reference', '')}"]`).first()
      await link.waitFor()
      assert.ok((await link.textContent())?.includes(summary), href)
    }
  }
  await page.goto(`${service.baseUrl}/docs/reference#tag/quotes/createQuote`)
  await page.getByText('/partner-api/Quotes').first().waitFor()
  assert.deepEqual(elsewhere, [])
})

test('a page of the documentation has no fault for people with disabilities, in light and in dark colours', async (t) => {
  const page = await openPage(t, browser)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const path of [
      '/docs',
      '/docs/guides/quickstart',
      '/docs/guides/errors-and-retries',
      '/docs/guides/webhooks',
      '/docs/errors',
      '/docs/errors/not_found',
    ]) {
      await page.goto(`${service.baseUrl}${path}`)
      assert.deepEqual(await accessibilityFaults(page), [], `${path} ${colorScheme}`)
    }
  }
})

function isEmpty(list: readonly unknown[]): boolean {
  return list.length === 0
}

test('the reference has no fault for people with disabilities, in light and in dark colours', async (t) => {
  const page = await openPage(t, browser)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      for (const place of ['quotes/createQuote', 'webhooks/deleteWebhook']) {
        await page.goto(`${service.baseUrl}/docs/reference#tag/${place}`)
        await page.locator(`body.${colorScheme}-mode`).waitFor()
        await page.getByText('_01m7w4kmmrf', { exact: false }).first().waitFor()
        // While the renderer works, its colours change.
        await waitFor(`no fault in ${place} ${width} ${colorScheme}`, () => accessibilityFaults(page), isEmpty)
        await page.goto('about:blank')
      }
    }
  }
})

test('the reference shows a sample of every operation in the languages that partners use most', async (t) => {
  const page = await openPage(t, browser)
  await page.goto(`${service.baseUrl}/docs/reference#tag/addresses/lookupAddresses`)
  const operation = page.locator('section[id$="lookupAddresses"]')
  // With the keyboard, because the page still scrolls while the renderer works: a mouse button pressed on an option may
  // be released beside it.
  await operation.getByRole('button', { name: 'Change code sample language: Shell Curl' }).press('Enter')
  await page.getByRole('option').first().waitFor()
  assert.deepEqual((await page.getByRole('option').allTextContents()).sort(), [
    'Curl',
    'Fetch',
    'HttpClient',
    'NewRequest',
    'OkHttp',
    'Requests',
    'cURL',
    'net::http',
  ])
  await page.getByRole('combobox', { name: 'Search clients' }).fill('Requests')
  await page.getByRole('combobox', { name: 'Search clients' }).press('Enter')
  await page.getByText('requests.get(').first().waitFor()
})

test('in a sandbox on this machine, the first request that a reader sends from the reference succeeds', async (t) => {
  const page = await openPage(t, browser)
  await page.setViewportSize({ width: 1280, height: 900 })
  for (const [tag, operation, path] of [
    ['addresses', 'lookupAddresses', '/Addresses/lookup'],
    ['quotes', 'createQuote', '/Quotes'],
  ] as const) {
    await page.goto(`${service.baseUrl}/docs/reference#tag/${tag}/${operation}`)
    await page.locator(`section[id$="${operation}"]`).getByRole('button', { name: 'Test Request' }).press('Enter')
    const answered = page.waitForResponse((response) => response.url().includes(`/partner-api${path}`))
    await page.getByRole('button', { name: 'Send Request' }).press('Enter')
    assert.equal((await answered).status(), 200, operation)
    await page.goto('about:blank')
  }
})

test('the reference shows every message with its schema and an example', async (t) => {
  const page = await openPage(t, browser)
  await page.goto(`${service.baseUrl}/docs/reference#tag/webhooks`)
  for (const { type, href } of listMessages(openApiDocument)) {
    await page.goto(`${service.baseUrl}${href}`)
    const place = page.locator(`section[id$="webhook/POST/${type}"]`)
    await place.getByText(`"${type}"`).first().waitFor()
    await place.locator('[id$="body.timestamp"]').waitFor()
    assert.equal(await place.getByText('Test Request').isVisible(), false, type)
  }
})
