import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { connectPartner } from '../support/client.ts'
import { finalise } from '../support/household.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { accessibilityFaults } from '../web/pages/accessibility.ts'
import { openPage, shareBrowser } from '../web/pages/browser.ts'
import { startLettingAgent } from './letting-agent.ts'

const [service, browser] = await Promise.all([startTestService(), shareBrowser()])
after(() => service.stop())

/** Checks the page that is open: no fault for people with disabilities, and nothing wider than a phone. */
async function check(page: Page): Promise<void> {
  assert.deepEqual(await accessibilityFaults(page), [], page.url())
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, page.url())
}

test('the example letting agent goes from a postcode to a link for each tenant on one page, and shows how far they are', async (t) => {
  const agent = await openPage(t, browser)
  const address = await startLettingAgent(t, service)
  await agent.goto(address)
  await check(agent)
  await agent.getByLabel('Postcode').fill('LS2 9JT')
  await agent.getByRole('button', { name: 'Find addresses' }).click()
  await agent.getByLabel('Address').selectOption({ index: 2 })
  await check(agent)
  for (const [index, name] of ['Ada Lovelace', 'Grace Hopper'].entries()) {
    await agent.getByLabel('Full name').nth(index).fill(name)
    await agent.getByLabel('Email').nth(index).fill('ada@example.com')
  }
  await agent.getByRole('button', { name: 'Quote the bills' }).click()
  await agent.getByRole('alert').getByText('Tenant 2: ').waitFor()
  await check(agent)
  await agent.getByLabel('Email').nth(1).fill('grace@example.com')
  await agent.getByRole('button', { name: 'Quote the bills' }).click()
  await agent.getByRole('heading', { name: 'Grace Hopper' }).waitFor()
  assert.match((await agent.locator('.price').textContent()) ?? '', /^£\d+\.\d\d a month, £[\d,]+\.\d\d in total$/)
  const links = await agent.locator('a[href*="/my-bills/"]').allTextContents()
  assert.equal(new Set(links).size, 2)
  await check(agent)

  const partner = await connectPartner(service.baseUrl, service.credentials)
  const [quote] = succeeded(await partner.get('/Quotes')).data
  succeeded(await finalise(partner, quote?.leadTenantId ?? '', { firstName: 'Ada', lastName: 'Lovelace' }))
  await agent.getByRole('link', { name: 'All households' }).click()
  await agent.getByText('Ada Lovelace: details given').waitFor()
  await agent.getByText('Grace Hopper: invited').waitFor()
  await check(agent)
  await agent.getByRole('button', { name: 'New link for Grace Hopper' }).click()
  await agent.getByRole('heading', { name: 'A new link' }).waitFor()
  assert.ok(!links.includes((await agent.locator('a[href*="/my-bills/"]').textContent()) ?? ''))
})

test('the example letting agent rejects a form from another site, escapes what people type, and creates nothing twice', async (t) => {
  const address = await startLettingAgent(t, service)
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const quote = await createQuote(partner)
  const form = (name: string) =>
    new URLSearchParams({
      address: quote.address.addressUid,
      name,
      email: 'ada@example.com',
      key: `key-${name.length}`,
    })
  const send = (name: string, headers = {}) => fetch(address, { method: 'POST', body: form(name), headers })
  const count = async () => succeeded(await partner.get('/Quotes?limit=100')).data.length
  const before = await count()
  assert.equal((await send('Ada', { 'sec-fetch-site': 'cross-site' })).status, 403)
  const [shown, again] = [await send('<b>Ada</b> Lovelace'), await send('<b>Ada</b> Lovelace')]
  assert.equal(shown.headers.get('cache-control'), 'no-store')
  const text = await shown.text()
  assert.ok(text.includes('&lt;b&gt;Ada&lt;/b&gt; Lovelace') && !text.includes('<b>'))
  assert.equal(await again.text(), text)
  assert.equal(await count(), before + 1)
})
