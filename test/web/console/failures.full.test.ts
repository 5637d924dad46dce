import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectNewPartner } from '../../support/partners.ts'
import { succeeded } from '../../support/responses.ts'
import { openConsoleLab, openTab, register, signInAs, textOf, waitForHeading } from './console-fixture.ts'

const lab = await openConsoleLab()
const { service } = lab

test('a registration whose response was lost is retried with the same key, which creates one webhook and shows its secret', async (t) => {
  const own = await connectNewPartner(service)
  const page = await openTab(t, lab)
  await signInAs(page, lab, own)
  await page.goto(`${service.baseUrl}/console/webhooks/new`)
  await page.getByLabel('URL of your receiver').fill('https://127.0.0.1:9/once')
  await page.getByLabel('quote.status.changed').check()
  const keys: (string | undefined)[] = []
  await page.route('**/partner-api/Webhooks', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    // The server completes the request, but the connection breaks before the response arrives.
    if (keys.length === 1) await route.fetch().then(() => route.abort())
    else await route.continue()
  })
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('heading', { name: 'No response' }).waitFor()
  assert.match(await textOf(page, '.failure'), /The connection to this server failed\. What you typed is still here\./)
  assert.equal(await page.getByLabel('URL of your receiver').inputValue(), 'https://127.0.0.1:9/once')
  await page.getByRole('button', { name: 'Try again' }).click()
  assert.match(await page.getByLabel('Signing secret').inputValue(), /^whsec_/)
  assert.equal(keys.length, 2)
  assert.match(keys[0] ?? '', /^console-[0-9a-f]{32}$/)
  assert.equal(keys[0], keys[1])
  assert.equal(succeeded(await own.get('/Webhooks')).data.length, 1)
})

test('the same action taken twice on purpose sends two requests with different keys', async (t) => {
  const own = await connectNewPartner(service)
  const webhookId = await register(own, 9)
  const page = await openTab(t, lab)
  await signInAs(page, lab, own)
  await page.goto(`${service.baseUrl}/console/webhooks/${webhookId}`)
  const keys: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/send-test-event')) keys.push(request.headers()['idempotency-key'] ?? '')
  })
  for (const _time of [1, 2]) {
    const answered = page.waitForResponse((response) => response.url().endsWith('/send-test-event'))
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await answered
    await page.getByText('is being sent').waitFor()
  }
  assert.equal(new Set(keys).size, 2)
})

test('a list that fails to load says so, keeps the entries already shown, and loads on retry', async (t) => {
  const own = await connectNewPartner(service)
  await register(own, 9, { path: '/kept' })
  const page = await openTab(t, lab)
  await signInAs(page, lab, own)
  await page.goto(`${service.baseUrl}/console/webhooks`)
  await page.getByRole('link', { name: /kept$/ }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('heading', { name: 'No response' }).waitFor()
  await page.getByRole('link', { name: /kept$/ }).waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.failure').waitFor({ state: 'detached' })
})

test('the page says when a response is not from the API, and shows how long to wait when the API gives a time', async (t) => {
  const own = await connectNewPartner(service)
  const page = await openTab(t, lab)
  await signInAs(page, lab, own)
  await page.route('**/partner-api/Webhooks*', (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  )
  await page.goto(`${service.baseUrl}/console/webhooks`)
  await page.getByRole('heading', { name: 'Unexpected response (status 502)' }).waitFor()
  await page.unroute('**/partner-api/Webhooks*')
  const problem = {
    type: `${service.baseUrl}/docs/errors/rate_limited`,
    title: 'Too many requests',
    status: 429,
    detail: 'The limit is reached.',
    code: 'rate_limited',
    requestId: 'request_of_the_test',
  }
  await page.route('**/partner-api/Webhooks*', (route) =>
    route.fulfill({
      status: 429,
      contentType: 'application/problem+json',
      headers: { 'Retry-After': '7' },
      body: JSON.stringify(problem),
    }),
  )
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Too many requests' }).waitFor()
  assert.match(
    await textOf(page, '.failure'),
    /The limit is reached\. Wait 7 s, then try again\. Request id: request_of_the_test/,
  )
  await page.unroute('**/partner-api/Webhooks*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('You have no webhooks yet').waitFor()
  await waitForHeading(page, 'Webhooks')
})

test('if a replay would start too long ago, the page shows the error next to the field and keeps the time entered', async (t) => {
  const own = await connectNewPartner(service)
  const webhookId = await register(own, 9)
  const page = await openTab(t, lab)
  await signInAs(page, lab, own)
  await page.goto(`${service.baseUrl}/console/webhooks/${webhookId}/replay`)
  await page.getByLabel('Events since (UK time)').fill('2020-01-01T00:00:00')
  await page.getByRole('button', { name: 'Start replay' }).click()
  await page.locator('#since-fault').waitFor()
  assert.match(await textOf(page, '#since-fault'), /30 days/)
  assert.match(await page.getByLabel('Events since (UK time)').inputValue(), /^2020-01-01T00:00/)
  await page.getByLabel('Events since (UK time)').fill('')
  await page.getByRole('button', { name: 'Start replay' }).click()
  await waitForHeading(page, 'Replay')
})
