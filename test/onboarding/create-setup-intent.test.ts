import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows, waitForPaymentStatus } from '../support/customer-fixtures.ts'
import { addBroadband, attachCard, finalise, paymentStatus, quoteStatus, startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const create = (customerId: string, options?: Parameters<typeof partner.post>[2]) =>
  partner.post(`/Customers/${customerId}/create-setup-intent`, undefined, options)
/** A household whose lead tenant can set up payment. */
async function readyHousehold(options?: Parameters<typeof startHousehold>[1]) {
  const household = await startHousehold(partner, options)
  succeeded(await finalise(partner, household.lead))
  return household
}

test('the first setup intent returns its ids and client secret, changes paymentStatus and activates the quote', async () => {
  const { quoteId, lead } = await readyHousehold()
  const response = succeeded(await create(lead))
  assert.deepEqual(Object.keys(response), ['customerId', 'setupIntentId', 'clientSecret', 'processorCustomerId'])
  assert.equal(response.customerId, lead)
  assert.match(response.setupIntentId, /^seti_/)
  assert.match(response.processorCustomerId, /^cus_/)
  assert.ok(response.clientSecret.startsWith(`${response.setupIntentId}_secret_`))
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  assert.equal(await quoteStatus(partner, quoteId), 'active')
})

test('requesting a setup intent again returns the same one, even if its card is attached', async () => {
  const { lead } = await readyHousehold()
  const first = await create(lead)
  assert.equal((await create(lead)).text, first.text)
  const several = await Promise.all([create(lead), create(lead), create(lead)])
  for (const response of several) assert.equal(response.text, first.text)
  await attachCard(partner, lead)
  assert.equal((await create(lead)).text, first.text)
  assert.equal(await paymentStatus(partner, lead), 'ready')
})

test("paymentStatus follows the processor's notices when the tenant enters cards on the sandbox's card page", async () => {
  const { lead } = await readyHousehold()
  const { setupIntentId, clientSecret } = succeeded(await create(lead))
  const enter = async (number: string) => {
    const page = await fetch(`${service.baseUrl}/sandbox/card-setup/${setupIntentId}/confirm`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ clientSecret, card: { number, expMonth: '12', expYear: '2030', cvc: '123' } }),
    })
    assert.equal(page.status, 200, await page.text())
  }
  await enter('4000000000000002')
  await waitForPaymentStatus(partner, lead, 'setup_failed')
  await enter('4242424242424242')
  await waitForPaymentStatus(partner, lead, 'ready')
})

test('create-setup-intent returns broadband_products_required while broadband without a line is all that is selected', async () => {
  const household = await readyHousehold({ packages: ['broadband'] })
  const problem = rejected(await create(household.lead), 422, 'broadband_products_required')
  assert.match(problem.detail, /main line.*add-broadband-products.*add-packages/)
  assert.equal(await quoteStatus(partner, household.quoteId), 'TenantsAdded')
  await addBroadband(partner, household.quoteId, ['fibre-150'])
  succeeded(await create(household.lead))
})

test('accept-terms returns broadband_products_required if the reopened quote has nothing but broadband without a line', async () => {
  const { quoteId, lead } = await readyHousehold({ tenants: 1 })
  await attachCard(partner, lead)
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  const packageIds = ['broadband-standard']
  succeeded(await partner.post(`/Quotes/${quoteId}/update-packages`, { packageIds }))
  rejected(await partner.post(`/Customers/${lead}/accept-terms`), 422, 'broadband_products_required')
})

test('the client secret is nowhere in the database or in an event', async () => {
  const { lead } = await readyHousehold()
  const { clientSecret } = succeeded(await create(lead, { headers: { 'Idempotency-Key': 'setup-secret' } }))
  const secret = clientSecret.split('_secret_')[1] ?? ''
  assert.ok(secret.length > 10)
  for (const table of ['setup_intents', 'customers', 'quotes', 'events', 'idempotency_keys'])
    assert.equal(JSON.stringify(await rawRows(service, `select * from ${table}`)).includes(secret), false, table)
  assert.equal(
    JSON.stringify(await rawRows(service, 'select * from simulated_processor.setup_intents')).includes(secret),
    false,
  )
})
