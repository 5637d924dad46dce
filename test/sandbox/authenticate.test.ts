import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows, readPaymentStatusHistory, waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

async function confirmed(paymentMethod: string, own: Partner = partner) {
  const { lead } = await startHousehold(own, { tenants: 1 })
  succeeded(await finalise(own, lead))
  const { setupIntentId } = succeeded(await own.post(`/Customers/${lead}/create-setup-intent`))
  succeeded(await own.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod }))
  return { lead, setupIntentId }
}
const authenticate = (setupIntentId: string, outcome: unknown) =>
  partner.post(`/Sandbox/setup-intents/${setupIntentId}/authenticate`, { outcome })

test('the card is attached if authentication passes; if it fails, the intent needs a card again, which may be the same one', async () => {
  const { lead, setupIntentId } = await confirmed('pm_card_authenticationRequired')
  const failed = succeeded(await authenticate(setupIntentId, 'failed'))
  assert.deepEqual(failed, { setupIntentId, status: 'requires_payment_method' })
  const again = { paymentMethod: 'pm_card_authenticationRequired' }
  succeeded(await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, again))
  assert.equal(succeeded(await authenticate(setupIntentId, 'passed')).status, 'succeeded')
  await waitForProcessorWebhooks(service)
  // All of this happens within one second, which is the precision of the processor's timestamps, so the notices change
  // nothing.
  assert.deepEqual(await readPaymentStatusHistory(service, lead), [
    'setup_started',
    'setup_failed',
    'setup_started',
    'ready',
  ])
})

test('if the process is killed after the bank has responded, retrying the call with its key returns the same response', async () => {
  const { lead, setupIntentId } = await confirmed('pm_card_authenticationRequired')
  const send = () =>
    partner.post(
      `/Sandbox/setup-intents/${setupIntentId}/authenticate`,
      { outcome: 'passed' },
      { headers: { 'Idempotency-Key': `passed-${setupIntentId}` } },
    )
  const first = succeeded(await send())
  // As if the process had been killed before its transaction: the processor has made the change, but nothing is stored
  // here.
  await rawRows(service, `delete from idempotency_keys where key = $1`, [`passed-${setupIntentId}`])
  assert.deepEqual(succeeded(await send()), first)
  rejected(await authenticate(setupIntentId, 'passed'), 422, 'validation_failed')
  await waitForProcessorWebhooks(service)
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready'])
})

test('authenticating an intent that is not waiting for the bank returns 422 with a remedy and changes nothing', async () => {
  for (const [card, status] of [
    ['pm_card_visa', 'ready'],
    ['pm_card_chargeDeclined', 'setup_failed'],
  ] as const) {
    const { lead, setupIntentId } = await confirmed(card)
    rejected(await authenticate(setupIntentId, 'passed'), 422, 'validation_failed')
    assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).paymentStatus, status)
  }
})

test('an invalid outcome returns 422, and a missing one or one of the wrong type 400; every error names the field', async () => {
  const { setupIntentId } = await confirmed('pm_card_authenticationRequired')
  for (const [outcome, status, code] of [
    ['maybe', 422, 'validation_failed'],
    [1, 400, 'invalid_request'],
    [undefined, 400, 'invalid_request'],
  ] as const) {
    const problem = rejected(await authenticate(setupIntentId, outcome), status, code)
    assert.ok(problem.errors?.every(({ pointer }) => pointer === '/outcome'))
  }
})
