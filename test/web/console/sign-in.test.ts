import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { connectPartner } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { connectNewPartner, connectWithScopes } from '../../support/partners.ts'
import { movableClock } from '../../support/service.ts'
import {
  focusedText,
  openConsoleLab,
  openTab,
  register,
  signIn,
  signInAs,
  textOf,
  waitForHeading,
} from './console-fixture.ts'

const clock = movableClock(new Date().toISOString())
const lab = await openConsoleLab({}, { clock })
const { service } = lab
const everythingStored = `JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])`

test('after signing in, a partner sees their webhooks and is told that this is a sandbox; neither the secret nor a token is in the browser', async (t) => {
  const page = await openTab(t, lab)
  await signIn(page, lab)
  await waitForHeading(page, 'Webhooks')
  assert.match(await textOf(page, '.realm'), /^Sandbox/)
  assert.equal(await page.title(), 'Webhooks · Housebill sandbox')
  await page.getByText('You have no webhooks yet').waitFor()
  const stored: string = await page.evaluate(everythingStored)
  assert.equal(stored, '[{},{},""]')
  const [cookie, ...others] = await page.context().cookies()
  assert.deepEqual(
    [cookie?.name, cookie?.httpOnly, cookie?.sameSite, cookie?.value.length, others.length],
    ['housebill-console', true, 'Strict', 43, 0],
  )
  assert.ok(Math.abs((cookie?.expires ?? 0) - Date.now() / 1000 - 3_600) < 60)
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
  assert.deepEqual(await page.context().cookies(), [])
  await page.getByLabel('Client secret').fill(` ${service.credentials.clientSecret} `)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await waitForHeading(page, 'Webhooks')
})

test('if the session ends after an hour while the partner is typing, the sign-in form shows the reason and then returns to the text entered', async (t) => {
  const page = await openTab(t, lab)
  await signIn(page, lab, '/console/webhooks/new')
  await page.getByLabel('URL of your receiver').fill('https://127.0.0.1:9/typed')
  await page.getByLabel('quote.status.changed').check()
  const later = new Date(Date.now() + 3_601_000)
  clock.moveTo(later.toISOString())
  await page.clock.setSystemTime(later)
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('Your session has expired').waitFor()
  assert.equal(await page.locator('#page').isVisible(), false)
  await page.getByLabel('Client id').fill(service.credentials.clientId)
  await page.getByLabel('Client secret').fill(service.credentials.clientSecret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await waitForHeading(page, 'Register a webhook')
  assert.equal(await page.getByLabel('URL of your receiver').inputValue(), 'https://127.0.0.1:9/typed')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByLabel('Signing secret').waitFor()
})

test('if the session was ended elsewhere, the sign-in form shows the reason, and signing in returns to the same URL', async (t) => {
  // Gets a new token, because an earlier test has moved the service's clock past the expiry of the others.
  const webhookId = await register(await connectPartner(service.baseUrl, service.credentials), 9)
  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/webhooks/${webhookId}/deliveries?status=failed`)
  await waitForHeading(page, 'Deliveries')
  await rawRows(service, 'delete from console_sessions', [])
  await page.getByRole('link', { name: 'Events', exact: true }).click()
  await page.getByText('The API no longer accepts your session').waitFor()
  await page.goBack()
  await page.getByLabel('Client id').fill(service.credentials.clientId)
  await page.getByLabel('Client secret').fill(service.credentials.clientSecret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await waitForHeading(page, 'Deliveries')
  assert.equal(await page.getByLabel('Status').inputValue(), 'failed')
  await page.getByText('No matching deliveries').waitFor()
})

test('signing out ends the session on the server, and going back in the browser shows nothing', async (t) => {
  const page = await openTab(t, lab)
  await signIn(page, lab, '/console/events')
  await waitForHeading(page, 'Events')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out').waitFor()
  assert.deepEqual(await page.context().cookies(), [])
  await page.goBack()
  await waitForHeading(page, 'Sign in')
  assert.equal(await page.locator('#page').textContent(), '')
})

test('credentials without the scope of the console cannot sign in, and the form says which scope is missing and what to do', async (t) => {
  const { token } = await connectWithScopes(service, ['quotes:read'])
  const page = await openTab(t, lab)
  await page.goto(`${service.baseUrl}/console/webhooks`)
  await page.getByLabel('Client id').fill(String(decodeJwt(token).client_id))
  await page.getByLabel('Client secret').fill(service.credentials.clientSecret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The console needs the scope webhooks:manage. Ask the operator').waitFor()
  assert.deepEqual(await page.context().cookies(), [])
})

test('a reload and a second tab keep the session; a tab of another client no longer acts once a new client has signed in', async (t) => {
  const page = await openTab(t, lab)
  await signIn(page, lab, '/console/events')
  await page.reload()
  await waitForHeading(page, 'Events')
  const tab = await page.context().newPage()
  await tab.goto(`${service.baseUrl}/console/webhooks`)
  await waitForHeading(tab, 'Webhooks')
  await signInAs(tab, lab, await connectNewPartner(service))
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.getByText('another client signed in with this browser').waitFor()
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
