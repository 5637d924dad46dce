import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addDays, londonDate } from '../../../src/platform/kernel/dates.ts'
import { connectPartner } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { eventsOf } from '../../support/deliveries.ts'
import { createQuote } from '../../support/quote-fixtures.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { startTestService } from '../../support/service.ts'
import { accessibilityFaults } from './accessibility.ts'
import { openPage, shareBrowser } from './browser.ts'

const [service, browser] = await Promise.all([startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' }), shareBrowser()])
after(async () => {
  await service.stop()
})

const paths = [
  '/docs',
  '/docs/reference',
  '/docs/changelog',
  '/docs/guides/configuration',
  '/docs/guides/quickstart',
  '/docs/guides/errors-and-retries',
  '/docs/guides/idempotency',
  '/docs/guides/connect-a-crm',
  '/docs/guides/authentication',
  '/docs/guides/sandbox',
  '/docs/guides/webhooks',
  '/docs/guides/developer-pages',
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

test('every page of the desk fits a phone, and axe finds no fault', async (t) => {
  const page = await openPage(t, browser)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${service.baseUrl}/desk`)
  await page.locator('input[value=admin]').check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  for (const path of ['', '/people', '/tasks', '/funnel', '/rate-cards', '/rate-cards/new']) {
    await page.goto(`${service.baseUrl}/desk${path}`)
    assert.deepEqual(await accessibilityFaults(page), [], path)
    const widths = await page.evaluate(
      '[document.documentElement, ...document.querySelectorAll(".scroll")].map((box) => box.scrollWidth - box.clientWidth)',
    )
    assert.deepEqual(new Set(widths as number[]), new Set([0]), path)
  }
})

test('an agent pastes, corrects and sends a list without scripts; at each width, light and dark, axe finds no fault', async (t) => {
  const [row] = await rawRows(service, 'select partner_id from credentials where client_id = $1', [
    service.credentials.clientId,
  ])
  const context = await browser.newContext({ javaScriptEnabled: false, reducedMotion: 'reduce' })
  t.after(() => context.close())
  const page = await context.newPage()
  const withScripts = await openPage(t, browser)
  const look = async (what: string) => {
    await withScripts.context().addCookies(await context.cookies())
    for (const width of [390, 1_280])
      for (const colorScheme of ['light', 'dark'] as const) {
        await withScripts.setViewportSize({ width, height: 844 })
        await withScripts.emulateMedia({ colorScheme })
        await withScripts.goto(page.url())
        assert.deepEqual(await accessibilityFaults(withScripts), [], `${what} ${width} ${colorScheme}`)
        const shown = await withScripts.evaluate('document.documentElement.scrollWidth')
        assert.ok(Number(shown) <= width, `${what} is ${shown} px wide at ${width}`)
      }
  }
  await page.goto(`${service.baseUrl}/workplace`)
  await page.locator(`input[value="agent ${row?.partner_id}"]`).check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.goto(`${service.baseUrl}/workplace/sell-list`)
  await look('the paste')
  const homes = [0, 1, 2].map((index) => ordinaryProperty(index))
  const address = (home: number) => `"${homes[home]?.addressLine1}, ${homes[home]?.city}",${homes[home]?.postcode}`
  const first = addDays(londonDate(new Date()), 40).split('-').reverse().join('/')
  const lines = [
    `${address(0)},Ada Lang & Ben Okoro,ada@list.example ben@list.example,${first}`,
    `${address(1)},Cy Ott & Di Wren,cy@list.example,${first}`,
    `${address(2).replace(/^"/, '"1')},Ed Fox,ed@list.example,${first}`,
    `${address(2)},Flo Hart,flo@list.example,TBC`,
  ]
  await page.getByLabel('The list', { exact: true }).fill(`Address,Postcode,Tenants,Email,Move in\n${lines.join('\n')}`)
  await page.getByLabel('All of them, but where the list says no').check()
  await page.getByLabel('How they agreed', { exact: true }).fill('application form')
  for (const [part, value] of [
    ['Day', '31'],
    ['Month', '1'],
    ['Year', '2026'],
  ] as const)
    await page.getByLabel(part, { exact: true }).fill(value)
  await page.getByRole('button', { name: 'Check the list' }).click()
  await page.getByRole('heading', { name: 'Check the list' }).waitFor()
  await look('the check')
  await page.getByRole('button', { name: 'Send 1 invitation' }).click()
  await look('the confirmation')
  await page.getByRole('button', { name: 'Send 1 invitation' }).click()
  await look('the results')
})

test('a developer signs in, registers a webhook and reads its delivery on a phone; axe finds no fault, and a page weighs little', async (t) => {
  const page = await openPage(t, browser)
  const partner = await connectPartner(service.baseUrl, service.credentials)
  await createQuote(partner)
  const [event] = await eventsOf(partner)
  const weights: number[] = []
  page.on('response', async (response) => {
    weights.push((await response.body().catch(() => Buffer.alloc(0))).length)
  })
  const faultsOf = async (path: string) => {
    await page.goto(`${service.baseUrl}/workplace/developers${path}`)
    const faults = await accessibilityFaults(page)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    return Number(width) > 390 ? [...faults, `${path} is ${width} px wide`] : faults
  }
  await page.setViewportSize({ width: 390, height: 844 })
  assert.deepEqual(await faultsOf('/webhooks'), [])
  await page.getByLabel('Client id').fill(service.credentials.clientId)
  await page.getByLabel('Client secret').fill(service.credentials.clientSecret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Register a webhook' }).click()
  await page.getByRole('button', { name: 'Register' }).click()
  await page.locator('.summary:focus').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.getByLabel('URL of your receiver').fill('https://127.0.0.1:9/hook')
  await page.getByLabel('quote.status.changed').check()
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('button', { name: 'Copy' }).waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.getByRole('link', { name: 'I have saved it' }).click()
  const webhook = new URL(page.url()).pathname.replace('/workplace/developers', '')
  await page.getByRole('button', { name: 'Send a new challenge' }).click()
  await page.getByRole('heading', { name: 'Delivery' }).waitFor()
  const delivery = new URL(page.url()).pathname.replace('/workplace/developers', '')
  await page.clock.install()
  await page.getByRole('link', { name: 'Reload every 10 s' }).click()
  const [start, stop] = ['Reload every 10 s', 'Stop reloading'].map((name) => page.getByRole('link', { name }))
  await stop?.waitFor()
  await page.waitForLoadState()
  for (const _ of ['first', 'second']) {
    const reload = page.waitForEvent('load')
    await page.clock.fastForward(10_000)
    await reload
  }
  await stop?.click()
  await start?.waitFor()
  await page.waitForLoadState()
  let requests = 0
  page.on('request', () => {
    requests += 1
  })
  await page.clock.fastForward(60_000)
  await page.evaluate('document.title')
  assert.equal(requests, 0, 'it has stopped')
  for (const path of [
    '/webhooks',
    ...['', '/edit', '/secret', '/replay?since=', '/delete', '/deliveries'].map((part) => `${webhook}${part}`),
    delivery,
    '/events',
    `/events/${event?.id}`,
    '/requests',
    '/credentials',
    '/deliveries/unknown',
  ]) {
    weights.length = 0
    assert.deepEqual(await faultsOf(path), [], path)
    const weight = weights.reduce((sum, each) => sum + each, 0)
    assert.ok(weights.length <= 4 && weight <= 60_000, `${path}: ${weights.length} requests, ${weight} bytes`)
    t.diagnostic(`${path.replaceAll(/_\w+/g, '')}: ${weights.length} requests, ${weight} bytes`)
  }
  await page.getByRole('link', { name: 'API reference' }).waitFor()
})
