import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { toDatetimeLocal } from '../../../console/time.ts'
import type { Partner } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { eventsOf, waitForDeliveries } from '../../support/deliveries.ts'
import { createQuote } from '../../support/quote-fixtures.ts'
import { succeeded } from '../../support/responses.ts'
import { waitFor } from '../../support/wait-for.ts'
import { respondToEvents, startReceiver } from '../../webhooks/receiver-fixture.ts'
import { openConsoleLab, openTab, register, signIn, textOf, waitForHeading } from './console-fixture.ts'

const lab = await openConsoleLab()
const { service, partner } = lab
const momentPattern = /\d{1,2} \w{3,4} \d{4}, \d{2}:\d{2}:\d{2} (GMT|BST)/

/** Starts a receiver that responds to events with the current `status()`, and registers and verifies its webhook. */
async function verifiedWebhook(t: TestContext, own: Partner, status: () => number) {
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => response.writeHead(status()).end()),
  )
  const webhookId = await register(own, receiver.port)
  await waitFor(
    'the webhook is verified',
    async () => succeeded(await own.get(`/Webhooks/${webhookId}`)),
    ({ verification }) => verification === 'verified',
  )
  return { receiver, webhookId }
}

const untilDisabled = (webhookId: string) =>
  waitFor(
    'the webhook is disabled',
    async () => succeeded(await partner.get(`/Webhooks/${webhookId}`)),
    (webhook) => webhook.status === 'disabled',
  )

test('a webhook that failed for five days is shown first with the reason; it can be enabled and its events replayed', async (t) => {
  let status = 500
  const { receiver, webhookId } = await verifiedWebhook(t, partner, () => status)
  await createQuote(partner, { packages: ['gas'] })
  await waitForDeliveries(partner, webhookId, (found) => found.some(({ attemptCount }) => attemptCount > 0))
  await rawRows(
    service,
    `update webhooks set failing_since = now() - interval '5 days', last_failed_at = now() where webhook_id = $1`,
    [webhookId],
  )
  await createQuote(partner, { packages: ['gas'] })
  const { disabledAt, failingSince } = await untilDisabled(webhookId)
  const missed = await createQuote(partner, { packages: ['gas'] })
  await eventsOf(partner, 6)

  const page = await openTab(t, lab)
  await signIn(page, lab)
  await page.getByRole('heading', { name: 'A webhook is disabled' }).waitFor()
  const said = await textOf(page, '.alarm')
  assert.match(said, /Disabled since .* Why: Every delivery failed for five days\./)
  assert.match(said, /What to do: fix the receiver/)
  assert.match(await textOf(page, '.rows'), /Disabled Verified Failing since/)
  assert.ok(
    await page.evaluate(
      `document.querySelector('.alarm').compareDocumentPosition(document.querySelector('.rows')) & Node.DOCUMENT_POSITION_FOLLOWING`,
    ),
  )
  await page.locator('.alarm a').first().click()
  await page.getByRole('heading', { name: 'This webhook is disabled' }).waitFor()
  const banner = page.locator('.alarm')
  assert.match((await banner.textContent()) ?? '', momentPattern)
  const moments = await page.evaluate("[...document.querySelectorAll('.alarm time')].map((each) => each.dateTime)")
  assert.deepEqual(moments, [disabledAt, failingSince])

  status = 200
  receiver.received.length = 0
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('Enabled. New events are sent from now on.').waitFor()
  await waitForHeading(page, 'Webhook')
  await page.reload()
  await page.getByRole('heading', { name: 'Send the events it missed?' }).waitFor()
  await page.getByRole('link', { name: 'Choose a start time' }).click()
  await page.getByLabel('Events since (UK time)').waitFor()
  const suggested = await page.getByLabel('Events since (UK time)').inputValue()
  assert.equal(
    suggested.slice(0, 16),
    toDatetimeLocal(new Date(Date.parse(String(failingSince)) - 3_600_000).toISOString()).slice(0, 16),
  )
  await page.goBack()
  await page.getByRole('button', { name: 'Send missed events' }).click()
  await waitForHeading(page, 'Replay')
  await page.getByText('Completed').waitFor()
  await page.getByText('All messages are queued.').first().waitFor()
  const counted = await textOf(page, '.facts')
  const [, failed = '0', unsent = '0'] = /queued again (\d+) Missed events queued (\d+)/.exec(counted) ?? []
  // Four events happened before the webhook was disabled, and two afterwards. The fourth may have come too late to be
  // queued.
  assert.ok(Number(failed) >= 1 && Number(unsent) >= 2, counted)
  assert.equal(Number(failed) + Number(unsent), 6)
  await waitFor('all events arrive', () => receiver.events().length === 6)
  assert.ok(receiver.events().some(({ message }) => message.data.quoteId === missed.quoteId))
  await page.getByRole('link', { name: 'View the webhook' }).click()
  await waitForHeading(page, 'Webhook')
  await page.getByText('No current failures.').waitFor()
  assert.equal(await page.locator('.alarm').count(), 0)
})

test('a webhook that returned 410, and one disabled by hand, each show the reason', async (t) => {
  const { webhookId } = await verifiedWebhook(t, partner, () => 410)
  await createQuote(partner, { packages: ['gas'] })
  await untilDisabled(webhookId)
  const byHand = await register(partner, 9)
  succeeded(await partner.patch(`/Webhooks/${byHand}`, { status: 'disabled' }))
  const page = await openTab(t, lab)
  await signIn(page, lab)
  await page.getByRole('heading', { name: '2 webhooks are disabled' }).waitFor()
  const said = await textOf(page, '.alarm')
  assert.match(said, /Why: The receiver responded with 410 Gone\./)
  assert.match(said, /Why: You disabled it\./)
})

test('a failing webhook that is not yet disabled shows when it began to fail and what will happen next', async (t) => {
  const webhookId = await register(partner, 9)
  await waitFor(
    'a failure is recorded',
    async () => succeeded(await partner.get(`/Webhooks/${webhookId}`)),
    ({ failingSince }) => failingSince !== null,
  )
  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/webhooks/${webhookId}`)
  await page.getByRole('heading', { name: 'All attempts have failed since' }).waitFor()
  assert.match(await textOf(page, '.alarm'), /After five days of failures, the webhook is disabled/)
})

test('a webhook disabled on its page is shown as disabled at once', async (t) => {
  const { webhookId } = await verifiedWebhook(t, partner, () => 200)
  const page = await openTab(t, lab)
  await signIn(page, lab, `/console/webhooks/${webhookId}`)
  await page.getByText('Disable this webhook').click()
  await page.getByRole('button', { name: 'Disable it' }).click()
  await page.getByRole('heading', { name: 'This webhook is disabled' }).waitFor()
  assert.match(await textOf(page, '.alarm'), /Why: You disabled it\./)
  assert.equal(succeeded(await partner.get(`/Webhooks/${webhookId}`)).status, 'disabled')
})
