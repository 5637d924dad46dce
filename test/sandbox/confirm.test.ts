import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { startHousehold, startPaymentSetup } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { testTime } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

/** Creates a customer with an open setup intent. */
async function startIntent(own = partner): Promise<{ customerId: string; setupIntentId: string; quoteId: string }> {
  const { lead, quoteId } = await startHousehold(own)
  return { customerId: lead, setupIntentId: await startPaymentSetup(own, lead), quoteId }
}

async function paymentStatus(own: Partner, customerId: string): Promise<string> {
  return succeeded(await own.get(`/Customers/${customerId}`)).paymentStatus
}

const confirm = (setupIntentId: string, paymentMethod: string) =>
  partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod })

test('confirming pm_card_visa attaches the card', async () => {
  const { customerId, setupIntentId } = await startIntent()
  assert.deepEqual(succeeded(await confirm(setupIntentId, 'pm_card_visa')), { setupIntentId, status: 'succeeded' })
  assert.equal(await paymentStatus(partner, customerId), 'ready')
})

test('confirming pm_card_chargeDeclined returns 200 and the intent needs a card again; another card then works', async () => {
  const { customerId, setupIntentId } = await startIntent()
  assert.equal(succeeded(await confirm(setupIntentId, 'pm_card_chargeDeclined')).status, 'requires_payment_method')
  assert.equal(await paymentStatus(partner, customerId), 'setup_failed')
  assert.equal(succeeded(await confirm(setupIntentId, 'pm_card_visa')).status, 'succeeded')
  assert.equal(await paymentStatus(partner, customerId), 'ready')
})

test('after a confirmation with pm_card_authenticationRequired, the intent waits for the customer', async () => {
  const { customerId, setupIntentId } = await startIntent()
  assert.equal(succeeded(await confirm(setupIntentId, 'pm_card_authenticationRequired')).status, 'requires_action')
  assert.equal(await paymentStatus(partner, customerId), 'setup_started')
})

test('an unknown payment method returns 422 and names the field, and nothing changes', async () => {
  const { customerId, setupIntentId } = await startIntent()
  const response = await confirm(setupIntentId, 'pm_card_nonsense')
  assertProblem(response, 'validation_failed', ['/paymentMethod unknown_payment_method'])
  assert.equal(await paymentStatus(partner, customerId), 'setup_started')
})

test('an intent that has succeeded stays that way, whatever card is confirmed next', async () => {
  const { customerId, setupIntentId } = await startIntent()
  succeeded(await confirm(setupIntentId, 'pm_card_visa'))
  assert.equal(succeeded(await confirm(setupIntentId, 'pm_card_chargeDeclined')).status, 'succeeded')
  assert.equal(await paymentStatus(partner, customerId), 'ready')
})

test('confirming a card does not revive a cancelled intent', async () => {
  const { customerId, setupIntentId, quoteId } = await startIntent()
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  assert.equal(succeeded(await confirm(setupIntentId, 'pm_card_visa')).status, 'canceled')
  assert.equal(await paymentStatus(partner, customerId), 'not_started')
})

test('confirm returns 503 in a sandbox with the real processor and changes nothing there', async () => {
  const { service: other, readIntent, stop } = await startServiceWithProcessor()
  try {
    const own = await connectPartner(other.baseUrl, other.credentials)
    const { setupIntentId } = await startIntent(own)
    const response = await own.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, {
      paymentMethod: 'pm_card_visa',
    })
    assertProblem(response, 'service_unavailable')
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await readIntent(setupIntentId)).status, 'requires_payment_method')
  } finally {
    await stop()
  }
})

test('a field that is missing, unknown or of the wrong type returns 400 and is named', async () => {
  const { setupIntentId } = await startIntent()
  const isBad = async (body: unknown, fields: string[]) =>
    assertProblem(
      await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, body),
      'invalid_request',
      fields,
    )
  await isBad({}, ['/paymentMethod required'])
  await isBad({ paymentMethod: 4242, card: 'x' }, ['/card unknown_field', '/paymentMethod wrong_type'])
})
