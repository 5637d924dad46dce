import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { connectWithScopes } from '../support/partners.ts'
import { movableClock } from '../support/service.ts'
import { focusedText, openConsoleLab, openTab, register, signIn, textOf, waitForHeading } from './console-fixture.ts'

const clock = movableClock(new Date().toISOString())
const lab = await openConsoleLab({}, { clock })
const { service } = lab
const everythingStored = `JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])`

test('after signing in, a partner sees their webhooks and is told that this is a sandbox; the secret is stored nowhere', async (t) => {
  const page = await openTab(t, lab)
  await signIn(page, lab)
  await waitForHeading(page, 'Webhooks')
  assert.match(await textOf(page, '.realm'), /^Sandbox/)
  assert.equal(await page.title(), 'Webhooks · Housebill sandbox')
  await page.getByText('You have no webhooks yet').waitFor()
  const stored: string = await page.evaluate(everythingStored)
  assert.match(stored, /accessToken/)
  assert.ok(!stored.includes(service.credentials.clientSecret))
  assert.ok(!(await page.content()).includes(service.credentials.clientSecret))
  assert.equal(await page.locator('#clientSecret').count(), 0)
})

test('wrong credentials show an error and keep the client id, and the right ones then sign in', async (t) => {
  const page = await openTab(t, lab)
  await page.goto(`${service.baseUrl}/console`)
  await page.getByLabel('Client id').fill(service.credentials.clientId)
  await page.getByLabel('Client secret').fill('not-the-secret')
  await page.keyboard.press('Enter')
  await page.getByText('The client id or the client secret is wrong').waitFor()
  assert.match(await focusedText(page), /Sign-in failed/)
  assert.equal(await page.getByLabel('Client id').inputValue(), service.credentials.clientId)
  assert.equal(await page.evaluate('sessionStorage.length'), 0)
  await page.getByLabel('Client secret').fill(` ${service.credentials.clientSecret} `)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await waitForHeading(page, 'Webhooks')
})

test('if the token expires while the partner is typing, the sign-in form shows the reason and then returns to the text entered', async (t) => {
  const page = await openTab(t, lab)
  await signIn(page, lab, '/console/webhooks/new')
  await page.getByLabel('URL of your receiver').fill('https://127.0.0.1:9/typed')
  await page.getByLabel('quote.status.changed').check()
  const tomorrow = new Date(Date.now() + 25 * 3_600_000)
  clock.moveTo(tomorrow.toISOString())
  await page.clock.setSystemTime(tomorrow)
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('Your access token has expired').waitFor()
  assert.equal(await page.evaluate('sessionStorage.length'), 0)
  assert.equal(await page.locator('#page').isVisible(), false)
  await page.getByLabel('Client id').fill(service.credentials.clientId)
  await page.getByLabel('Client secret').fill(service.credentials.clientSecret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await waitForHeading(page, 'Register a webhook')
  assert.equal(await page.getByLabel('URL of your receiver').inputValue(), 'https://127.0.0.1:9/typed')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByLabel('Signing secret').waitFor()
})

test('if the API rejects the token, the sign-in form shows the reason, and signing in returns to the same URL', async (t) => {
  // Gets a new token, because an earlier test has moved the service's clock past the expiry of the others.
  const webhookId = await register(await connectPartner(service.baseUrl, service.credentials), 9)
  const page = await openTab(t, lab)
  const session = { accessToken: 'not.a.token', clientId: service.credentials.clientId, expiresAt: null }
  await page.addInitScript(
    `if (!sessionStorage.length) sessionStorage.setItem('housebill-console-session', '${JSON.stringify(session)}')`,
  )
  await page.goto(`${service.baseUrl}/console/webhooks/${webhookId}/deliveries?status=failed`)
  await page.getByText('The API no longer accepts your access token').waitFor()
  await page.getByLabel('Client id').fill(service.credentials.clientId)
  await page.getByLabel('Client secret').fill(service.credentials.clientSecret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await waitForHeading(page, 'Deliveries')
  assert.equal(await page.getByLabel('Status').inputValue(), 'failed')
  await page.getByText('No matching deliveries').waitFor()
})

test('signing out forgets the token, and going back in the browser shows nothing', async (t) => {
  const page = await openTab(t, lab)
  await signIn(page, lab, '/console/events')
  await waitForHeading(page, 'Events')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out').waitFor()
  assert.equal(await page.evaluate('sessionStorage.length'), 0)
  await page.goBack()
  await waitForHeading(page, 'Sign in')
  assert.equal(await page.locator('#page').textContent(), '')
})

test('if the token lacks the required scope, the page shows which scope is missing and what to do', async (t) => {
  const { token } = await connectWithScopes(service, ['quotes:read'])
  const page = await openTab(t, lab)
  const session = { accessToken: token, clientId: 'sb_reader', expiresAt: null }
  await page.addInitScript(`sessionStorage.setItem('housebill-console-session', '${JSON.stringify(session)}')`)
  await page.goto(`${service.baseUrl}/console/webhooks`)
  await page.getByRole('heading', { name: 'The token does not have the required scope' }).waitFor()
  const words = await textOf(page, '.failure')
  assert.match(words, /webhooks:manage/)
  assert.match(words, /Ask the operator for credentials with this scope/)
  assert.match(words, /Request id: request_/)
})

test('a live deployment looks different from a sandbox on every page', async (t) => {
  const page = await openTab(t, lab)
  await page.route('**/console/**', async (route) => {
    if (route.request().resourceType() !== 'document') return route.continue()
    const response = await route.fetch()
    const body = (await response.text()).replace('data-realm="sandbox"', 'data-realm="live"')
    return route.fulfill({ response, body })
  })
  await signIn(page, lab, '/console/events')
  await waitForHeading(page, 'Events')
  assert.match(await textOf(page, '.realm'), /^Live\./)
  assert.equal(await page.title(), 'Events · Housebill live')
})
