import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { connectPartner } from '../support/client.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { accessibilityFaults } from '../web/pages/accessibility.ts'
import { openPage, shareBrowser } from '../web/pages/browser.ts'
import { sendForgedMessage, startLettingAgent } from './letting-agent.ts'

const [service, browser] = await Promise.all([startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' }), shareBrowser()])
after(async () => {
  await service.stop()
})

/** Checks the page that is open: no fault for people with disabilities, and nothing wider than a phone. */
async function check(page: Page): Promise<void> {
  assert.deepEqual(await accessibilityFaults(page), [], page.url())
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, page.url())
}

/** As the agent: enters a tenancy with two tenants. Returns the tenants' links. */
async function enterTenancy(page: Page, address: string): Promise<string[]> {
  await page.goto(address)
  await check(page)
  await page.getByLabel('Postcode of a new tenancy').fill('LS2 9JT')
  await page.getByRole('button', { name: 'Find addresses' }).click()
  await check(page)
  await page.getByLabel('Address').selectOption({ index: 2 })
  for (const [index, name, email] of [
    [0, 'Ada Lovelace', 'ada@example.com'],
    [1, 'Grace Hopper', 'grace@example.com'],
  ] as const) {
    await page.getByLabel('Full name').nth(index).fill(name)
    await page.getByLabel('Email').nth(index).fill(email)
  }
  await page.getByRole('button', { name: 'Quote the bills' }).click()
  await page.getByRole('heading', { name: 'Tenants' }).waitFor()
  assert.match((await page.locator('.price').textContent()) ?? '', /^£\d+\.\d\d a month$/)
  await check(page)
  return page
    .locator('a[href*="/bills/"]')
    .evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href))
}

/** As the tenant: enters this card on the page of the sandbox, then comes back. */
async function enterCard(page: Page, link: string, number: string): Promise<void> {
  await page.getByRole('button', { name: 'Enter your card' }).click()
  await page.getByLabel('Card number').click()
  await page.getByLabel('Card number').pressSequentially(number)
  await page.getByLabel('Expires').pressSequentially('1234')
  await page.getByLabel('Security code').pressSequentially('123')
  await page.getByRole('button', { name: 'Save card' }).click()
  const saved = page.getByRole('heading', { name: 'Card saved' })
  await saved.or(page.getByRole('heading', { name: 'This card was not accepted' })).waitFor()
  if (await saved.isVisible()) await page.getByRole('link', { name: 'Go back to localhost' }).click()
  else await page.goto(link)
  await page.waitForURL(link)
}

/** Waits until a page that is loaded again and again has the text, as after a webhook has arrived. */
async function untilShown(page: Page, text: string): Promise<void> {
  const isShown = async () => {
    await page.reload()
    return (await page.locator('main').textContent())?.includes(text)
  }
  await waitFor(`the page shows: ${text}`, isShown)
}

async function giveDetails(page: Page, dateOfBirth: string): Promise<void> {
  await page.getByLabel('Phone').fill('07700 900123')
  await page.getByLabel('Date of birth').fill(dateOfBirth)
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function pressAccept(page: Page): Promise<void> {
  await page.getByLabel('I have read the contract and accept it').check()
  await check(page)
  await page.getByRole('button', { name: 'Accept' }).click()
}

async function accept(page: Page): Promise<void> {
  await pressAccept(page)
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
}

async function openTwo(t: Parameters<typeof openPage>[0], from: Browser): Promise<[Page, Page]> {
  return [await openPage(t, from), await openPage(t, from)]
}

test('the example letting agent sells the bills of a tenancy: two tenants accept on their phones, and the agent sees how far each is', async (t) => {
  const app = await startLettingAgent(t, service)
  const [agent, tenant] = await openTwo(t, browser)
  const [ada = '', grace = ''] = await enterTenancy(agent, app.address)

  await tenant.goto(ada)
  assert.match((await tenant.locator('main').textContent()) ?? '', /£\d+\.\d\d a month\s*Your share of .*electricity/i)
  await check(tenant)
  await giveDetails(tenant, '2020-01-01')
  await tenant.getByRole('alert').waitFor()
  await check(tenant)
  await tenant.getByRole('link', { name: 'Date of birth' }).click()
  assert.equal(await tenant.evaluate('document.activeElement.id'), 'dateOfBirth')
  await giveDetails(tenant, '1995-12-10')
  await tenant.getByRole('heading', { name: 'Your contract' }).waitFor()
  await check(tenant)
  const draft = await tenant.getByRole('link', { name: 'Read the contract' }).getAttribute('href')
  assert.match(await (await fetch(draft ?? '')).text(), /Ada Lovelace/)

  await enterCard(tenant, ada, '4000000000000002')
  await untilShown(agent, 'Ada Lovelace: card declined')
  await tenant.reload()
  await tenant.getByText('Your card was declined').waitFor()
  await enterCard(tenant, ada, '4242424242424242')
  await untilShown(agent, 'Ada Lovelace: card saved')
  await app.restart()
  await tenant.reload()
  // The contract changes after it was shown.
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const [quote] = succeeded(await partner.get('/Quotes')).data
  succeeded(await partner.patch(`/Customers/${quote?.leadTenantId}`, { lastName: 'King' }))
  await pressAccept(tenant)
  await tenant.getByRole('alert').getByText('The terms have changed').waitFor()
  await accept(tenant)
  await untilShown(agent, 'Ada Lovelace: accepted, waiting for the other tenants')

  await tenant.goto(grace)
  await giveDetails(tenant, '1996-12-09')
  await enterCard(tenant, grace, '5555555555554444')
  await untilShown(tenant, 'I have read the contract')
  await accept(tenant)
  for (const name of ['Ada Lovelace', 'Grace Hopper']) await untilShown(agent, `${name}: contract in force`)
  await check(agent)
  await tenant.goto(ada)
  await check(tenant)
  const contract = await tenant.getByRole('link', { name: 'Your contract' }).getAttribute('href')
  assert.match(await (await fetch(contract ?? '')).text(), /Ada King/)
})

test('the example letting agent rejects a forged message, a wrong link and a form from another site, and escapes what people type', async (t) => {
  const app = await startLettingAgent(t, service)
  assert.equal((await fetch(`${app.address}/bills/guessed`)).status, 404)
  const foreign = { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' }, body: 'name=x' }
  assert.equal((await fetch(`${app.address}/tenancies`, foreign)).status, 403)

  const partner = await connectPartner(service.baseUrl, service.credentials)
  const { address } = await createQuote(partner)
  const form = new URLSearchParams({
    address: address.addressUid,
    name: '<b>Ada</b> Lovelace',
    email: 'ada@example.com',
  })
  const shown = await (await fetch(`${app.address}/tenancies`, { method: 'POST', body: form })).text()
  assert.ok(shown.includes('&lt;b&gt;Ada&lt;/b&gt; Lovelace') && !shown.includes('<b>'))

  const { data } = succeeded(await partner.get('/Webhooks'))
  const [webhook] = data.filter(({ url }) => url === app.webhookUrl)
  assert.ok(webhook !== undefined)
  await waitFor('the webhook is verified', async () => {
    const { verification } = succeeded(await partner.get(`/Webhooks/${webhook.webhookId}`))
    return verification === 'verified'
  })
  assert.equal(await sendForgedMessage(app.webhookUrl), 400)
})
