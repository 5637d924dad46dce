import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, paymentStatus, quoteStatus, startHousehold } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { rejected, succeeded } from '../support/responses.ts'

// The processor's notices never arrive here. The service knows only what the test sends and what it fetches itself.
const processor = await startServiceWithProcessor()
const { service, requests } = processor
after(() => processor.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const accept = (customerId: string) => partner.post(`/Customers/${customerId}/accept-terms`)
async function createCustomerWithIntent() {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const { setupIntentId } = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  return { quoteId, lead, setupIntentId }
}

test('accept-terms calls the processor and succeeds if the card is attached but no notice has arrived', async () => {
  const { quoteId, lead, setupIntentId } = await createCustomerWithIntent()
  await processor.confirm(setupIntentId)
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  succeeded(await accept(lead))
  assert.equal(await paymentStatus(partner, lead), 'ready')
  assert.equal(await quoteStatus(partner, quoteId), 'completed')
})

test('accept-terms returns payment_setup_incomplete if the processor reports a declined card', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  rejected(await accept(lead), 422, 'payment_setup_incomplete')
})

test('the terms are not accepted until the 3-D Secure step has passed; if it fails, a new card is needed', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  assert.equal((await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')).status, 'requires_action')
  rejected(await accept(lead), 422, 'payment_setup_incomplete')
  assert.equal((await processor.authenticate(setupIntentId, 'failed')).status, 'requires_payment_method')
  rejected(await accept(lead), 422, 'payment_setup_incomplete')
  await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')
  assert.equal((await processor.authenticate(setupIntentId, 'authenticated')).status, 'succeeded')
  succeeded(await accept(lead))
})

test('accept-terms returns 503 and stores nothing if it must call the processor and the processor is down', async () => {
  const { quoteId, lead, setupIntentId } = await createCustomerWithIntent()
  await processor.confirm(setupIntentId)
  processor.setMode('unreachable')
  const response = await accept(lead)
  processor.setMode('up')
  rejected(response, 503, 'service_unavailable')
  assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).status, 'PersonalInfoComplete')
  assert.equal(await quoteStatus(partner, quoteId), 'active')
  assert.deepEqual(await rawRows(service, 'select from contract_documents where customer_id = $1', [lead]), [])
  succeeded(await accept(lead))
})

test('accept-terms does not call the processor if the notice has arrived or the terms are already accepted', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const notice = await processor.notify('setup_intent.succeeded', await processor.confirm(setupIntentId))
  assert.equal(notice.status, 200)
  requests.length = 0
  processor.setMode('unreachable')
  const first = await accept(lead)
  const again = await accept(lead)
  processor.setMode('up')
  assert.equal(succeeded(first) && first.text, again.text)
  assert.deepEqual(requests, [])
})

test('accept-terms requires a new intent if the intent was cancelled at the processor', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  await processor.cancel(setupIntentId)
  rejected(await accept(lead), 422, 'payment_setup_incomplete')
  const next = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`)).setupIntentId
  await processor.confirm(next)
  succeeded(await accept(lead))
})

test('the terms can still be accepted after a collection from the attached card has failed', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const intent = await processor.confirm(setupIntentId)
  await processor.notify('setup_intent.succeeded', intent)
  await processor.notify('payment_intent.payment_failed', { id: 'pi_1', customer: intent.customer })
  assert.equal(await paymentStatus(partner, lead), 'failed')
  succeeded(await accept(lead))
  assert.equal(await paymentStatus(partner, lead), 'failed')
})
