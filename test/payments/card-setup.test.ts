import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { pino } from 'pino'
import type { Browser, Locator, Page } from 'playwright-core'
import { registerCardSetupPages } from '../../src/payments/card-setup/card-setup-pages.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { publishableKeyOf } from '../../src/sandbox/simulators/payment-processor/protocol/credentials.ts'
import { openPage, shareBrowser } from '../web/pages/browser.ts'
import { openIntent, openTestDatabase, secretKey, startSimulator } from './payment-simulator-fixture.ts'

describe('the card page', () => {
  let db: Database
  let close: () => Promise<void>
  let browser: Browser
  before(async () => {
    ;({ db, close } = await openTestDatabase())
    browser = await shareBrowser()
  })
  after(() => close())

  /** Starts the page's server with a simulator, and creates the setup intent for which the page collects a card. */
  const start = async (t: TestContext) => {
    const simulator = await startSimulator(t, db)
    const logged: string[] = []
    const app = Fastify({
      // A browser opens connections in advance. Closing the server would wait for them forever.
      forceCloseConnections: true,
      loggerInstance: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
    })
    app.register(registerCardSetupPages, {
      simulatorBaseUrl: simulator.apiBase,
      publishableKey: publishableKeyOf(secretKey),
    })
    const base = await app.listen({ host: '127.0.0.1', port: 0 })
    t.after(() => app.close())
    const { setupIntentId, clientSecret } = await openIntent(simulator.processor)
    const address = `${base}/sandbox/card-setup/${setupIntentId}`
    const standing = async () => (await simulator.processor.readSetupIntent(setupIntentId)).status
    return {
      ...simulator,
      logged,
      base,
      address,
      link: `${address}#client_secret=${clientSecret}`,
      setupIntentId,
      clientSecret,
      standing,
    }
  }

  const type = async (page: Page, number: string, expiry = '1230', cvc = '123') => {
    for (const [label, text] of [
      ['Card number', number],
      ['Expires', expiry],
      ['Security code', cvc],
    ] as const) {
      await page.getByLabel(label).fill('')
      await page.getByLabel(label).pressSequentially(text)
    }
    await page.getByRole('button', { name: 'Save card' }).click()
  }
  const textOf = async (locator: Locator) => (await locator.textContent()) ?? ''
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

  test('a card number is grouped while it is typed; a saved card is shown by its last digits, with the way back if there is one', async (t) => {
    const { link, standing } = await start(t)
    const page = await openPage(t, browser)
    await page.goto(link)
    // Click first: unlike typing, a click waits until the form is visible.
    await page.getByLabel('Card number').click()
    await page.getByLabel('Card number').pressSequentially('4242424242424242')
    assert.equal(await page.getByLabel('Card number').inputValue(), '4242 4242 4242 4242')
    await page.getByLabel('Expires').pressSequentially('0930')
    assert.equal(await page.getByLabel('Expires').inputValue(), '09 / 30')
    await page.getByLabel('Security code').pressSequentially('123')
    await page.keyboard.press('Enter')
    await heading(page, 'Card saved').waitFor()
    assert.match(await textOf(page.locator('#done')), /Your Visa ending 4242/)
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Card saved')
    assert.equal(await standing(), 'succeeded')
    assert.equal(await page.locator('#number').inputValue(), '')
    await page.reload()
    await heading(page, 'Card saved').waitFor()
    for (const [returnUrl, isOffered] of Object.entries({
      'javascript:alert(1)': false,
      'http://127.0.0.1:9/?a=b&c': true,
    })) {
      await page.goto(`${link}&return_url=${encodeURIComponent(returnUrl)}`)
      await heading(page, 'Card saved').waitFor()
      assert.equal(await page.locator('#done a[href="http://127.0.0.1:9/?a=b&c"]').isVisible(), isOffered, returnUrl)
    }
  })

  test('the page says why a card was declined, and a different card then succeeds', async (t) => {
    const { link, standing } = await start(t)
    const page = await openPage(t, browser)
    await page.goto(link)
    await page.getByRole('button', { name: '4000 0000 0000 9995' }).click()
    await page.getByRole('button', { name: 'Save card' }).click()
    const problem = page.getByRole('alert')
    await problem.waitFor()
    assert.match(
      await textOf(problem),
      /not accepted[\s\S]*insufficient funds[\s\S]*card_declined · insufficient_funds/,
    )
    assert.equal(await page.evaluate('document.activeElement.id'), 'problem')
    assert.equal(await standing(), 'requires_payment_method')
    await type(page, '5555555555554444')
    await heading(page, 'Card saved').waitFor()
    assert.equal(await standing(), 'succeeded')
  })

  test('a card that requires authentication is saved once the customer has authenticated', async (t) => {
    const { link, standing } = await start(t)
    const page = await openPage(t, browser)
    await page.goto(link)
    await type(page, '4000002760003184')
    await heading(page, 'Is this you?').waitFor()
    assert.match(await textOf(page.locator('#authenticate')), /your Visa ending 3184/)
    assert.equal(await standing(), 'requires_action')
    await page.reload()
    await page.getByRole('button', { name: 'Authenticate', exact: true }).click()
    await heading(page, 'Card saved').waitFor()
    assert.equal(await standing(), 'succeeded')
  })

  test('a failed authentication and a decline after authentication both lead back to the form', async (t) => {
    const { link, standing } = await start(t)
    const page = await openPage(t, browser)
    await page.goto(link)
    await type(page, '4000002500003155')
    await page.getByRole('button', { name: 'Fail authentication' }).click()
    await page.getByText('Your bank could not confirm that it was you').waitFor()
    assert.equal(await standing(), 'requires_payment_method')
    await type(page, '4000008400001629')
    await page.getByRole('button', { name: 'Authenticate', exact: true }).click()
    await page.getByText('This card was not accepted').waitFor()
    assert.equal(await standing(), 'requires_payment_method')
  })

  test('missing and wrong fields are listed with links, and nothing is sent', async (t) => {
    const { link, standing } = await start(t)
    const page = await openPage(t, browser)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await page.goto(link)
    await page.getByRole('button', { name: 'Save card' }).click()
    assert.match(
      await textOf(page.getByRole('alert')),
      /There is a problem with 3 fields[\s\S]*Enter the card number[\s\S]*expiry[\s\S]*security code/,
    )
    await page.getByRole('link', { name: 'Enter the expiry date' }).click()
    assert.equal(await page.evaluate('document.activeElement.id'), 'expiry')
    await type(page, '4242424242424241', '1220', '12')
    assert.match(await textOf(page.getByRole('alert')), /a digit is wrong[\s\S]*has expired[\s\S]*has 3 digits/)
    assert.equal(await page.getByLabel('Card number').getAttribute('aria-invalid'), 'true')
    assert.ok(!sent.some((url) => url.endsWith('/confirm')))
    assert.ok(page.url().includes('#client_secret='))
    assert.equal(await standing(), 'requires_payment_method')
  })

  for (const [number, field, reason] of [
    ['4000 0000 0000 0127', 'cvc', /security code is incorrect/],
    ['4000 0000 0000 0069', 'expiry', /has expired/],
  ] as const) {
    test(`an error in the ${field} is shown next to it and at the top with a link to it`, async (t) => {
      const { link } = await start(t)
      const page = await openPage(t, browser)
      await page.goto(link)
      await page.locator('summary').click()
      await page.getByRole('button', { name: number }).click()
      await page.getByRole('button', { name: 'Save card' }).click()
      await page.getByRole('alert').waitFor()
      assert.match(await textOf(page.locator(`#${field}-error`)), reason)
      assert.equal((await textOf(page.getByRole('alert'))).split(reason).length, 2)
      await page.getByRole('alert').getByRole('link', { name: reason }).click()
      assert.equal(await page.evaluate('document.activeElement.id'), field)
    })
  }

  test('the page can be used with the keyboard alone', async (t) => {
    const { link } = await start(t)
    const page = await openPage(t, browser)
    await page.goto(link)
    await page.getByLabel('Card number').waitFor()
    const stops: unknown[] = []
    for (let stop = 0; stop < 5; stop += 1) {
      await page.keyboard.press('Tab')
      stops.push(await page.evaluate('document.activeElement.id || document.activeElement.dataset.number'))
    }
    assert.deepEqual(stops, ['number', 'expiry', 'cvc', 'save', '4242424242424242'])
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'save')
    await page.keyboard.press('Enter')
    await heading(page, 'Card saved').waitFor()
  })

  test('no form is shown if the intent is cancelled, or if the secret in the link is missing or wrong', async (t) => {
    const { link, address, processor, setupIntentId } = await start(t)
    const page = await openPage(t, browser)
    for (const broken of [address, `${address}#client_secret=${setupIntentId}_secret_wrong`]) {
      await page.goto(broken)
      await heading(page, 'This link does not work').waitFor()
      assert.equal(await page.getByLabel('Card number').isVisible(), false)
    }
    await processor.cancelSetupIntent(setupIntentId)
    await page.goto(link)
    await heading(page, 'This card set-up was cancelled').waitFor()
  })

  test('an intent that is cancelled while the form is open is shown as cancelled, without an error', async (t) => {
    const { link, processor, setupIntentId } = await start(t)
    const page = await openPage(t, browser)
    await page.goto(link)
    await page.getByLabel('Card number').waitFor()
    await processor.cancelSetupIntent(setupIntentId)
    await type(page, '4242424242424242')
    await heading(page, 'This card set-up was cancelled').waitFor()
  })

  test('if the processor is unavailable, the page shows an error when a card is sent and when the page is reloaded', async (t) => {
    const { app, link } = await start(t)
    const page = await openPage(t, browser)
    await page.goto(link)
    await page.getByLabel('Card number').waitFor()
    await app.close()
    await type(page, '4242424242424242')
    await page.getByText('Your card could not be sent').waitFor()
    assert.match(await textOf(page.getByRole('alert')), /cannot be reached at the moment/)
    await page.reload()
    await heading(page, 'The card form could not be loaded').waitFor()
  })

  test('the page fits a narrow phone without scrolling sideways', async (t) => {
    const { link } = await start(t)
    const page = await openPage(t, browser)
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(link)
    await page.locator('summary').click()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    const top = async (label: string) => (await page.getByLabel(label).boundingBox())?.y
    assert.equal(await top('Expires'), await top('Security code'))
  })

  test('neither the client secret nor a card number appears in a URL or a log', async (t) => {
    const { link, logged, clientSecret } = await start(t)
    const page = await openPage(t, browser)
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    await page.goto(link)
    await type(page, '4000000000000002')
    await page.getByRole('alert').waitFor()
    const seen = `${addresses.map((address) => address.split('#', 1)[0]).join(' ')} ${logged.join('')}`
    assert.ok(seen.includes('/confirm'))
    assert.ok(!seen.includes(clientSecret.slice(-20)) && !seen.includes('4000000000000002'))
  })

  test('the page allows only its own script and style, is not cached and cannot be framed', async (t) => {
    const { address, base } = await start(t)
    const [first, second] = [await fetch(address), await fetch(address)]
    const policy = first.headers.get('content-security-policy') ?? ''
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    assert.match(policy, /default-src 'none'.*form-action 'none'.*frame-ancestors 'none'/)
    assert.ok(!policy.includes('unsafe'))
    assert.ok((await first.text()).includes(`<script type="module" nonce="${nonce}">`))
    assert.notEqual(second.headers.get('content-security-policy'), policy)
    assert.equal(first.headers.get('cache-control'), 'no-store')
    assert.equal(first.headers.get('referrer-policy'), 'no-referrer')
    for (const path of [
      '/sandbox/card-setup/not-an-intent',
      '/sandbox/card-setup/assets/../card-setup-page.ts',
      '/sandbox/card-setup/assets/page.css',
    ]) {
      assert.equal((await fetch(base + path)).status, 404)
    }
  })

  test('a request with missing fields returns 400, a wrong secret returns 404, and neither response quotes what was sent', async (t) => {
    const { address, clientSecret } = await start(t)
    const post = (step: string, body: unknown) =>
      fetch(`${address}/${step}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const card = { number: '4242424242424242', expMonth: '12', expYear: '30', cvc: '123' }
    for (const [step, body] of [
      ['state', {}],
      ['confirm', { clientSecret, card: { ...card, cvc: 123 } }],
      ['confirm', { card }],
      ['authenticate', { clientSecret, outcome: 'maybe' }],
    ] as const) {
      const answer = await post(step, body)
      assert.equal(answer.status, 400)
      assert.ok(!(await answer.text()).includes('4242'))
    }
    assert.equal((await post('confirm', { clientSecret: 'seti_1_secret_2', card })).status, 404)
  })
})
