import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, waitForDeliveries } from '../../support/deliveries.ts'
import { createQuote } from '../../support/quote-fixtures.ts'
import { respondToEvents, startReceiver } from '../../webhooks/receiver-fixture.ts'
import { openConsoleLab, openTab, register, signIn, textOf, waitForHeading } from './console-fixture.ts'

const lab = await openConsoleLab()
const { partner } = lab

test('events can be filtered, and sorted newest or oldest first; more are loaded on request, and each shows its payload', async (t) => {
  const { quoteId } = await createQuote(partner, { packages: ['gas'], reference: 'the-first' })
  for (let made = 0; made < 12; made += 1) await createQuote(partner, { packages: ['gas'] })
  const events = await eventsOf(partner, 26)
  const page = await openTab(t, lab)
  await signIn(page, lab, '/console/events')
  await page.getByText('20 shown, more available').waitFor()
  await page.getByRole('button', { name: 'Load more' }).click()
  await page.getByText('26 shown.').waitFor()
  await page.getByLabel('Order').selectOption('oldest')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('20 shown, more available').waitFor()
  assert.match(await textOf(page, '.rows > li'), /new → draft .*the-first/)
  await page.getByLabel('Order').selectOption('')
  await page.getByLabel('Quote id').fill(quoteId)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('2 shown.').waitFor()
  await page.locator('.rows a').first().click()
  await waitForHeading(page, 'Event')
  await page.getByText('No deliveries: no webhook was subscribed').waitFor()
  const shown = JSON.parse(await page.getByLabel('Payload').innerText())
  assert.deepEqual(
    shown,
    events.find(({ id }) => id === shown.id),
  )
  await page.getByRole('link', { name: 'View all events of this quote' }).click()
  await page.getByText('2 shown.').waitFor()
})

test('an event shows its status for every webhook, with links to the delivery and the webhook', async (t) => {
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(503).end()),
  )
  const webhookIds = [await register(partner, receiver.port), await register(partner, receiver.port)]
  const { quoteId } = await createQuote(partner)
  const sent = { eventId: '' }
  for (const webhookId of webhookIds) {
    const found = await waitForDeliveries(partner, webhookId, (all) =>
      all.some((each) => each.quoteId === quoteId && each.lastAttempt?.responseStatus === 503),
    )
    sent.eventId = found.find((each) => each.quoteId === quoteId)?.messageId ?? ''
  }

  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/events/${sent.eventId}`)
  await waitForHeading(page, 'Event')
  const rows = page.locator('.rows > li')
  await rows.nth(1).waitFor()
  assert.equal(await rows.count(), 2)
  for (const [index, webhookId] of webhookIds.entries()) {
    const text = await rows.nth(index).innerText()
    assert.match(text, /status 503 instead of 2xx/)
    assert.ok(text.includes(webhookId), text)
  }
  await rows.first().getByRole('link').first().click()
  await waitForHeading(page, 'Delivery')
  await page.goBack()
  await rows.first().getByRole('link').last().click()
  await waitForHeading(page, 'Webhook')
})
