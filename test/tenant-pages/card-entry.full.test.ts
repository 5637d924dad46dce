import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core'
import { cardScript } from '../../src/tenant-pages/before-signing/card-entry.page.ts'
import { words } from '../../src/tenant-pages/words.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, startHousehold, startPaymentSetup } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'
import { accessibilityFaults } from '../web/pages/accessibility.ts'
import { shareBrowser } from '../web/pages/browser.ts'
import { TenantBrowser } from './tenant-browser.ts'

const publishableKey = 'pk_test_only'
const processor = await startServiceWithProcessor({ STRIPE_PUBLISHABLE_KEY: publishableKey })
after(() => processor.stop())
const { service } = processor
const partner = await connectPartner(service.baseUrl, service.credentials)
const browser = await shareBrowser()

/**
 * In place of Stripe's script: a field in a frame of Stripe's, and a confirmation that Stripe's API takes. What is
 * entered in the field is the name of a test card.
 */
const stubOfScript = `
window.Stripe = (key, { locale }) => ({
  elements: ({ clientSecret }) => ({
    clientSecret,
    create(kind) {
      const heard = {}
      return {
        on(event, listener) { heard[event] = listener },
        mount(selector) {
          const frame = document.createElement('iframe')
          frame.title = 'Card of ' + key + ', ' + kind + ', ' + locale
          frame.src = 'https://js.stripe.com/field.html'
          frame.addEventListener('load', () => heard.ready())
          document.querySelector(selector).append(frame)
        },
      }
    },
  }),
  async confirmSetup({ elements: { clientSecret }, confirmParams, redirect }) {
    const { card } = window
    if (card === undefined) return { error: { type: 'validation_error', code: 'incomplete_number' } }
    const response = await fetch('https://api.stripe.com/v1/setup_intents/' + clientSecret.split('_secret_')[0] + '/confirm', {
      method: 'POST', body: new URLSearchParams({ card, redirect, ...confirmParams }),
    })
    return response.json()
  },
})
addEventListener('message', ({ data, origin }) => { if (origin === 'https://js.stripe.com') window.card = data })
`

const stubOfField = `<!doctype html><html lang="en"><title>Card</title><main><h1>Card</h1>
<label>Card number <input oninput="parent.postMessage(value, '*')"></label></main></html>`

/** What Stripe's API says to the browser, from what the simulator of it says. */
async function confirm(route: Route): Promise<void> {
  const request = route.request()
  const [, id = ''] = /setup_intents\/(\w+)\/confirm/.exec(request.url()) ?? []
  const form = new URLSearchParams(request.postData() ?? '')
  assert.equal(form.get('redirect'), 'if_required')
  assert.match(form.get('return_url') ?? '', /\/my-bills\/tenant_\w+\/card-entry$/)
  type Answer = { status?: string; error?: object; last_setup_error?: object }
  const path = `/v1/setup_intents/${id}`
  let answer = (await processor.ask(`${path}/confirm`, { payment_method: form.get('card') ?? '' })) as Answer
  if (answer.status === 'requires_action')
    answer = (await processor.ask(`${path}/verify`, { outcome: 'failed' })) as Answer
  const error = answer.error ?? answer.last_setup_error
  await route.fulfill({ json: error == null ? {} : { error }, headers: { 'access-control-allow-origin': '*' } })
}

interface Opened {
  page: Page
  /** The addresses that the page asked for, other than the service's. */
  foreign: Set<string>
}

/** Opens the tenant's pages by their link, and the card page. */
async function openCard(
  by: Browser,
  customerId: string,
  { script = 'stub', ...options }: BrowserContextOptions & { script?: 'stub' | 'blocked' } = {},
): Promise<Opened> {
  const context = await by.newContext({ viewport: { width: 390, height: 844 }, reducedMotion: 'reduce', ...options })
  after(() => context.close())
  const page = await context.newPage()
  const foreign = new Set<string>()
  page.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (origin !== service.baseUrl) foreign.add(origin)
  })
  await context.route(
    (url) => url.origin !== service.baseUrl,
    (route) => {
      const url = route.request().url()
      if (url.startsWith('https://api.stripe.com/v1/')) return confirm(route)
      if (url === 'https://js.stripe.com/field.html')
        return route.fulfill({ contentType: 'text/html', body: stubOfField })
      if (script === 'stub' && url.startsWith('https://js.stripe.com/'))
        return route.fulfill({ contentType: 'text/javascript', body: stubOfScript })
      return route.abort()
    },
  )
  const { url } = succeeded(await partner.post(`/Customers/${customerId}/onboarding-links`))
  await page.goto(url)
  await page.getByRole('button', { name: words.link.button }).click()
  await page.goto(`${service.baseUrl}/my-bills/${customerId}/card`)
  return { page, foreign }
}

/** A tenant who has begun to set up payment. */
async function tenantWithSetup(): Promise<string> {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await startPaymentSetup(partner, lead)
  return lead
}

/** The set-ups that the service created for the tenant. */
function listIntents(customerId: string) {
  const statement = 'select setup_intent_id as id, status from setup_intents where customer_id = $1 order by created_at'
  return rawRows(service, statement, [customerId])
}

const created = () => processor.requests.filter(({ operation }) => operation === 'POST /v1/setup_intents').length

test('a card is entered in the field of the processor: what was declined is said in words, and a saved card leads on', async () => {
  const tenant = await tenantWithSetup()
  const { page, foreign } = await openCard(browser, tenant)
  const opened = page.waitForResponse(`**/my-bills/${tenant}/card-entry`)
  await page.getByRole('button', { name: words.card.tryAgain }).click()
  const policy = (await (await opened).headerValue('content-security-policy')) ?? ''
  assert.match(policy, /^default-src 'none';/)
  assert.match(policy, /script-src 'self' https:\/\/js\.stripe\.com https:\/\/\*\.js\.stripe\.com;/)
  assert.match(policy, /connect-src https:\/\/api\.stripe\.com$/)
  assert.doesNotMatch(policy, /unsafe/)

  const field = page.frameLocator('#card-field iframe')
  await field.getByLabel('Card number').waitFor()
  assert.equal(
    await page.locator('#card-field iframe').getAttribute('title'),
    `Card of ${publishableKey}, payment, en-GB`,
  )
  assert.match((await page.locator('main').textContent()) ?? '', /takes £[\d.]+ from this card on \d+ \w+ \d{4}/)
  assert.deepEqual(await accessibilityFaults(page), [])

  const save = page.getByRole('button', { name: words.cardEntry.button })
  const problem = page.locator('#card-problem')
  const before = created()
  await save.click()
  assert.equal(await problem.isVisible(), false, 'the field itself says what is missing')
  for (const [card, told] of [
    ['pm_card_chargeDeclined', /The card was declined/],
    ['pm_card_chargeDeclinedInsufficientFunds', /not enough money/],
    ['pm_card_authenticationRequired', /bank could not confirm/],
  ] as const) {
    await field.getByLabel('Card number').fill(card)
    await save.click()
    await problem.getByText(told).waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), 'card-problem')
    assert.deepEqual(await accessibilityFaults(page), [])
  }
  await page.reload()
  await problem.getByText(/bank could not confirm/).waitFor()
  await field.getByLabel('Card number').fill('pm_card_visa')
  await save.click()
  await page.waitForURL((url) => !/\/card(-entry)?$/.test(url.pathname))
  assert.equal(succeeded(await partner.get(`/Customers/${tenant}`)).paymentStatus, 'ready')
  assert.deepEqual([...foreign].sort(), ['https://api.stripe.com', 'https://js.stripe.com'])

  await page.goto(`${service.baseUrl}/my-bills/${tenant}/card-entry`)
  assert.equal(new URL(page.url()).pathname, `/my-bills/${tenant}/card`)
  assert.equal(created(), before, 'opening the page creates no set-up')
})

test('a tenant with a contract gives another card, which is theirs as soon as it is saved', async () => {
  const tenant = await tenantWithSetup()
  const [first] = await listIntents(tenant)
  await processor.confirm(String(first?.id))
  succeeded(await partner.post(`/Customers/${tenant}/create-setup-intent`))
  succeeded(await partner.post(`/Customers/${tenant}/accept-terms`))
  const { page } = await openCard(browser, tenant)
  await page.getByRole('button', { name: words.code.send }).click()
  const shown = (await page.locator('.notice').textContent()) ?? ''
  await page.getByLabel(words.code.label, { exact: true }).fill(/\d{6}/.exec(shown)?.[0] ?? '')
  await page.getByRole('button', { name: words.continue }).click()
  await page.getByText(words.card.savedUnnamed).waitFor()
  await page.getByRole('button', { name: words.card.another }).click()
  const field = page.frameLocator('#card-field iframe')
  await field.getByLabel('Card number').fill('pm_card_mastercard')
  await page.getByRole('button', { name: words.cardEntry.button }).click()
  await page.getByText(words.card.savedUnnamed).waitFor()
  const intents = await listIntents(tenant)
  assert.deepEqual(
    intents.map(({ status }) => status),
    ['succeeded', 'succeeded'],
  )
})

test('without JavaScript, or without the script of the processor, the page says so and whom to call', async () => {
  const tenant = await tenantWithSetup()
  for (const options of [{ javaScriptEnabled: false }, { script: 'blocked' }] as const) {
    const { page } = await openCard(browser, tenant, options)
    await page.getByRole('button', { name: words.card.tryAgain }).click()
    const isBlocked = 'script' in options
    const notice = page.locator(isBlocked ? '#card-problem' : 'noscript .notice')
    await notice.waitFor()
    const told = (await notice.textContent()) ?? ''
    assert.ok(told.includes(isBlocked ? words.cardEntry.notLoaded : words.card.needsScript), told)
    assert.match(told, /To give your card, call Sample Bills on 01632 960123/)
    if (isBlocked) assert.deepEqual(await accessibilityFaults(page), [])
  }
})

test('our own script is small, and browsers keep it', async () => {
  const response = await fetch(new URL(cardScript.path, service.baseUrl))
  assert.match(response.headers.get('cache-control') ?? '', /immutable/)
  assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8')
  assert.ok((await response.arrayBuffer()).byteLength < 4_000)
})

test('without the key of the field, no set-up begins, and the page says whom to call', async () => {
  const without = await startServiceWithProcessor()
  after(() => without.stop())
  const own = await connectPartner(without.service.baseUrl, without.service.credentials)
  const { lead, quoteId } = await startHousehold(own, { tenants: 1 })
  succeeded(await finalise(own, lead))
  succeeded(await own.patch(`/Quotes/${quoteId}`, { householdComplete: true }))
  const { url } = succeeded(await own.post(`/Customers/${lead}/onboarding-links`))
  const tenant = new TenantBrowser(without.service.baseUrl)
  await tenant.open(new URL(url).pathname)
  await tenant.send(words.link.button)
  for (const path of ['card', 'card-entry']) {
    const page = await tenant.open(`/my-bills/${lead}/${path}`)
    assert.equal(page.path, `/my-bills/${lead}/card`)
    assert.match(page.text, /To give your card, call Sample Bills on 01632 960123/)
    assert.ok(!page.text.includes(words.card.button))
  }
  const [, formToken = ''] = /name="formToken" value="([^"]+)"/.exec(tenant.page?.text ?? '') ?? []
  await tenant.post(`/my-bills/${lead}/card`, { formToken, do: 'add' })
  assert.equal(succeeded(await own.get(`/Customers/${lead}`)).paymentStatus, 'not_started')
})
