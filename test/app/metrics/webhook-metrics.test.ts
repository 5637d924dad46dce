import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../../support/client.ts'
import { waitForDeliveries } from '../../support/deliveries.ts'
import { createQuote } from '../../support/quote-fixtures.ts'
import { succeeded } from '../../support/responses.ts'
import { startTestService } from '../../support/service.ts'
import { respondToEvents, startReceiver } from '../../webhooks/receiver-fixture.ts'
import { readExposition } from './exposition.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '0' })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

const scrape = async () => readExposition(await (await fetch(`${service.baseUrl}/metrics`)).text())

test('finished webhook attempts are counted by outcome and duration, and no delivery is leased afterwards', async (t) => {
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response, count) =>
      setTimeout(() => response.writeHead(count === 1 ? 500 : count === 2 ? 204 : 410).end(), 20),
    ),
  )
  const url = `https://127.0.0.1:${receiver.port}/`
  const { webhookId } = succeeded(await partner.post('/Webhooks', { url, events: ['quote.status.changed'] }))
  await createQuote(partner, { packages: ['gas'] })
  await waitForDeliveries(
    partner,
    webhookId,
    (found) => found.length === 3 && found.every(({ status }) => status !== 'pending'),
  )
  const page = await scrape()
  const attempts = (outcome: string) => page.value('housebill_webhook_attempts_total', { outcome })
  assert.deepEqual(['accepted', 'failed', 'gone', 'unverified'].map(attempts), [2, 1, 1, 0])
  const seconds = page.value('housebill_webhook_attempt_seconds_total')
  assert.ok(seconds > 0.05, `${seconds} seconds`)
  assert.equal(page.value('housebill_webhook_deliveries_in_hand'), 0)
  for (const state of ['undispatched', 'due'])
    assert.ok(page.value('housebill_webhook_oldest_wait_seconds', { state }) >= 0)
  for (const state of ['active', 'failing', 'disabled']) assert.ok(page.value('housebill_webhooks', { state }) >= 0)
})
