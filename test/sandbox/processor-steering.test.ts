import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Partner } from '../support/client.ts'
import { rawRows, waitForPaymentStatus } from '../support/customer-fixtures.ts'
import { attachCard, finalise, paymentStatus, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const connect = () => connectNewPartner(service)
const webhooks = (partner: Partner, body: unknown) => partner.post('/Sandbox/payment-processor/webhooks', body)
const outage = (partner: Partner, down: unknown) => partner.post('/Sandbox/payment-processor/outage', { down })
const prompt = { delaySeconds: 0, lost: false }

/** Brings all scheduled webhooks forward by ten minutes, so that those delayed by ten minutes are due now. */
async function passTenMinutes(): Promise<void> {
  await rawRows(service, `update simulated_processor.outgoing_webhooks set due_at = due_at - interval '600 seconds'`)
}

async function ready(partner: Partner): Promise<string> {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  return lead
}

test('setting how webhooks are delivered returns all settings; omitted ones are reset to normal delivery', async () => {
  const partner = await connect()
  assert.deepEqual(succeeded(await webhooks(partner, { delaySeconds: 3 })), { ...prompt, delaySeconds: 3 })
  assert.deepEqual(succeeded(await webhooks(partner, { lost: true })), { ...prompt, lost: true })
  assert.deepEqual(succeeded(await webhooks(partner, {})), prompt)
})

test('delayed webhooks change the status when they arrive; those of other partners are not delayed', async () => {
  const [partner, other] = [await connect(), await connect()]
  const [mine, theirs] = [await ready(partner), await ready(other)]
  succeeded(await webhooks(partner, { delaySeconds: 600 }))
  await attachCard(partner, mine)
  assert.equal(await paymentStatus(partner, mine), 'setup_started')
  await attachCard(other, theirs)
  assert.equal(await paymentStatus(other, theirs), 'ready')
  assert.equal(await paymentStatus(partner, mine), 'setup_started')
  await passTenMinutes()
  await waitForPaymentStatus(partner, mine, 'ready')
})

test('a notice that is lost changes nothing, until accept-terms asks the processor', async () => {
  const partner = await connect()
  const lead = await ready(partner)
  succeeded(await webhooks(partner, { lost: true }))
  await attachCard(partner, lead)
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
  assert.equal(await paymentStatus(partner, lead), 'ready')
})

test('a simulated outage returns 503 for this partner alone, and everything works again afterwards', async () => {
  const [partner, other] = [await connect(), await connect()]
  const [lead, second, theirs] = [await ready(partner), await ready(partner), await ready(other)]
  const { setupIntentId } = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  assert.deepEqual(succeeded(await outage(partner, true)), { down: true })
  const calls = [
    `/Customers/${second}/create-setup-intent`,
    `/Customers/${lead}/create-setup-intent`,
    `/Customers/${lead}/accept-terms`,
  ]
  for (const path of calls) {
    const response = await partner.post(path)
    rejected(response, 503, 'service_unavailable')
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
  }
  const confirm = { paymentMethod: 'pm_card_visa' }
  const response = await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, confirm)
  rejected(response, 503, 'service_unavailable')
  assert.equal(await paymentStatus(partner, second), 'not_started')
  await attachCard(other, theirs)
  assert.equal(await paymentStatus(other, theirs), 'ready')
  assert.deepEqual(succeeded(await outage(partner, false)), { down: false })
  for (const customer of [lead, second]) await attachCard(partner, customer)
  assert.equal(await paymentStatus(partner, second), 'ready')
})
