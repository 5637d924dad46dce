import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawRows } from '../../support/customer-fixtures.ts'
import { succeeded } from '../../support/responses.ts'
import { waitFor } from '../../support/wait-for.ts'
import { startReceiver } from '../../webhooks/receiver-fixture.ts'
import { focusedText, openConsoleLab, openTab, register, signIn, textOf, waitForHeading } from './console-fixture.ts'

const lab = await openConsoleLab()
const { partner, service } = lab
const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/

test('a rejected registration shows each error next to its field and keeps the text entered', async (t) => {
  const page = await openTab(t, lab)
  await signIn(page, lab, '/console/webhooks/new')
  await page.getByLabel('URL of your receiver').fill('http://hooks.example/in')
  await page.getByRole('button', { name: 'Register' }).click()
  const summary = page.locator('.failure')
  await summary.waitFor()
  assert.match(await focusedText(page), /Request id: request_/)
  assert.match(await textOf(page, '#url-fault'), /https/)
  assert.match(await textOf(page, '#events-fault'), /at least one event/)
  const url = page.getByLabel('URL of your receiver')
  assert.equal(await url.inputValue(), 'http://hooks.example/in')
  assert.equal(await url.getAttribute('aria-invalid'), 'true')
  assert.match((await url.getAttribute('aria-describedby')) ?? '', /url-fault/)
  await summary.getByRole('link', { name: /^URL:/ }).click()
  assert.equal(await page.evaluate('document.activeElement.id'), 'url')
  assert.deepEqual(succeeded(await partner.get('/Webhooks')).data, [])
})

test('a webhook is registered, its secret is shown once and copied, and a challenge is sent to the receiver', async (t) => {
  const receiver = await startReceiver(t)
  const page = await openTab(t, lab)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, lab)
  await page.getByRole('link', { name: 'Register a webhook' }).click()
  await waitForHeading(page, 'Register a webhook')
  await page.getByLabel('URL of your receiver').fill(`https://127.0.0.1:${receiver.port}/registered`)
  await page.getByLabel('quote.status.changed').check()
  await page.getByLabel('customer.payment.updated').check()
  await page.getByRole('button', { name: 'Register' }).click()
  const secret = await page.getByLabel('Signing secret').inputValue()
  assert.match(secret, secretPattern)
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByText('Signing secret: copied.').waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret)
  await page.getByRole('link', { name: 'I have saved it' }).click()
  await waitForHeading(page, 'Webhook')
  const webhookId = page.url().split('/').at(-1) ?? ''
  assert.deepEqual(succeeded(await partner.get(`/Webhooks/${webhookId}`)).events.toSorted(), [
    'customer.payment.updated',
    'quote.status.changed',
  ])
  await waitFor(
    'the page says that the webhook is verified',
    async () => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      return textOf(page, '.facts')
    },
    (facts) => facts.includes('Verified: your receiver returned the challenge'),
  )
  assert.ok(!(await page.content()).includes(secret))
})

test('a webhook with a new secret shows how long the old one remains valid', async (t) => {
  const webhookId = await register(partner, 9)
  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/webhooks/${webhookId}/secret`)
  await page.getByRole('button', { name: 'Rotate the secret' }).click()
  assert.match(await page.getByLabel('Signing secret').inputValue(), secretPattern)
  await page.getByRole('link', { name: 'I have saved it' }).click()
  await waitForHeading(page, 'Webhook')
  assert.match(await textOf(page, '.facts'), /Messages carry two signatures until/)
  const { previousSecretValidUntil } = succeeded(await partner.get(`/Webhooks/${webhookId}`))
  const moments = page.locator('.facts time')
  const shown = await moments.evaluateAll((found) => found.map((time) => time.getAttribute('datetime')))
  assert.ok(shown.includes(previousSecretValidUntil))
})

test('changing the URL or the events sends a challenge; an error keeps the form, and Cancel changes nothing', async (t) => {
  const [first, second] = [await startReceiver(t), await startReceiver(t)]
  const webhookId = await register(partner, first.port)
  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/webhooks/${webhookId}`)
  await page.getByRole('link', { name: 'Edit its URL or events' }).click()
  const url = page.getByLabel('URL of your receiver')
  await url.fill('https://user:password@hooks.example')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#url-fault').waitFor()
  assert.equal(await url.inputValue(), 'https://user:password@hooks.example')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Edit its URL or events' }).click()
  assert.match(await url.inputValue(), new RegExp(`:${first.port}/hook$`))
  await url.fill(`https://127.0.0.1:${second.port}/moved`)
  await page.getByLabel('customer.status.changed').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. A challenge is being sent to the new URL.').waitFor()
  const { url: changed, events } = succeeded(await partner.get(`/Webhooks/${webhookId}`))
  assert.equal(changed, `https://127.0.0.1:${second.port}/moved`)
  assert.deepEqual(events.toSorted(), ['customer.status.changed', 'quote.status.changed'])
  await waitFor(
    'the challenge arrives',
    async () => second.received,
    (received) => received.some(({ message }) => message.type === 'webhook.verification'),
  )
})

test('a new secret is created once and shown once, and the old one stays valid for 24 hours', async (t) => {
  const webhookId = await register(partner, 9)
  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/webhooks/${webhookId}/secret`)
  await page.getByText('The current one stays valid for 24 hours').waitFor()
  await page.getByRole('button', { name: 'Rotate the secret' }).click()
  assert.match(await page.getByLabel('Signing secret').inputValue(), secretPattern)
  const until = await page.locator('.important time').getAttribute('datetime')
  const hours = (Date.parse(until ?? '') - Date.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours < 24.1, `${hours} h`)
  const secrets = await rawRows(service, 'select * from webhook_secrets where webhook_id = $1', [webhookId])
  assert.equal(secrets.length, 2)
  await page.reload()
  await page.getByRole('button', { name: 'Rotate the secret' }).waitFor()
  assert.equal(await page.getByLabel('Signing secret').count(), 0)
})

test('a test event of the chosen type is sent and can be followed to its delivery', async (t) => {
  const receiver = await startReceiver(t)
  const webhookId = await register(partner, receiver.port)
  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/webhooks/${webhookId}`)
  await page.getByLabel('Test event').selectOption('customer.payment.updated')
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await page.getByRole('link', { name: 'View the delivery' }).click()
  await waitForHeading(page, 'Delivery')
  await page.getByText('Delivered').first().waitFor()
  assert.match(await textOf(page, '.facts'), /Test event/)
  assert.match(await textOf(page, 'pre'), /"test": true/)
  assert.deepEqual(
    receiver.events().map(({ message }) => message.type),
    ['customer.payment.updated'],
  )
})

test('a new challenge can be sent if the receiver did not echo the first one', async (t) => {
  const webhookId = await register(partner, 9)
  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/webhooks/${webhookId}`)
  await page.getByRole('button', { name: 'Send a new challenge' }).click()
  await page.getByText('A new challenge is being sent.').waitFor()
  await page.getByRole('link', { name: 'View the delivery' }).click()
  await page.getByText('webhook.verification').first().waitFor()
})

test('a webhook is deleted only after the page has said what will be lost', async (t) => {
  const webhookId = await register(partner, 9, { path: '/to-be-deleted' })
  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/webhooks/${webhookId}`)
  await page.getByRole('link', { name: 'Delete it' }).click()
  await waitForHeading(page, 'Delete a webhook?')
  await page.getByText('Its deliveries and their attempts are deleted.').waitFor()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Delete it' }).click()
  await page.getByRole('button', { name: 'Delete this webhook' }).click()
  await page.getByText(/Deleted https:.*to-be-deleted/).waitFor()
  await waitForHeading(page, 'Webhooks')
  assert.equal((await partner.get(`/Webhooks/${webhookId}`)).status, 404)
  await page.goto(`${service.baseUrl}/console/webhooks/${webhookId}`)
  await page.getByRole('heading', { name: 'The id or path does not exist' }).waitFor()
})
