import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { addTenants, finalise, paymentStatus, quoteStatus, startHousehold } from '../support/household.ts'
import { connectAnotherPartner } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { advanceClock, totalCost } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'

const processor = await startServiceWithProcessor()
const { service } = processor
after(() => processor.stop())
beforeEach(() => processor.setMode('up'))
const partner = await connectPartner(service.baseUrl, service.credentials)

const createIntent = async (customerId: string, own = partner): Promise<string> =>
  succeeded(await own.post(`/Customers/${customerId}/create-setup-intent`)).setupIntentId
/** Two tenants who have given their personal information. */
async function readyHousehold(own: Partner = partner) {
  const household = await startHousehold(own)
  for (const tenant of household.tenants) succeeded(await finalise(own, tenant))
  const [lead = '', second = ''] = household.tenants
  return { quoteId: household.quoteId, lead, second }
}

test('reopening cancels open intents at the processor, keeps attached cards and restores the previous status', async () => {
  const { quoteId, lead, second } = await readyHousehold()
  const attached = await createIntent(lead)
  const open = await createIntent(second)
  await processor.notify('setup_intent.succeeded', await processor.confirm(attached))
  assert.equal(succeeded(await partner.post(`/Quotes/${quoteId}/reopen`)).status, 'TenantsAdded')
  assert.equal((await processor.readIntent(open)).status, 'canceled')
  assert.equal((await processor.readIntent(attached)).status, 'succeeded')
  assert.deepEqual([await paymentStatus(partner, lead), await paymentStatus(partner, second)], ['ready', 'not_started'])
  rejected(await partner.post(`/Customers/${second}/accept-terms`), 422, 'payment_setup_incomplete')

  const [third = ''] = await addTenants(partner, quoteId, [{ name: 'Third', email: 'third@example.com' }])
  assert.equal((await totalCost(partner, quoteId)).costBreakdown.length, 3)
  assert.equal(await createIntent(lead), attached)
  assert.equal(await quoteStatus(partner, quoteId), 'active')
  assert.notEqual(await createIntent(second), open)
  rejected(await partner.post(`/Customers/${third}/create-setup-intent`), 422, 'personal_information_required')
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
})

test('a reopened quote can expire like any open quote, and total-cost renews it', async () => {
  const own = await connectAnotherPartner(service)
  const { quoteId, lead } = await readyHousehold(own)
  await advanceClock(own, { days: 10 })
  await createIntent(lead, own)
  await advanceClock(own, { days: 10 })
  succeeded(await own.post(`/Quotes/${quoteId}/reopen`))
  rejected(await own.post(`/Customers/${lead}/create-setup-intent`), 422, 'quote_expired')
  assert.equal((await totalCost(own, quoteId)).QuotePricesUpdated, true)
  await createIntent(lead, own)
})

test('cancelling an active quote cancels its open intents at the processor, and every further step is rejected', async () => {
  const { quoteId, lead, second } = await readyHousehold()
  const intents = [await createIntent(lead), await createIntent(second)]
  assert.equal(succeeded(await partner.post(`/Quotes/${quoteId}/cancel`)).status, 'cancelled')
  for (const intent of intents) assert.equal((await processor.readIntent(intent)).status, 'canceled')
  assert.deepEqual(
    [await paymentStatus(partner, lead), await paymentStatus(partner, second)],
    ['not_started', 'not_started'],
  )
  for (const step of ['create-setup-intent', 'accept-terms'])
    rejected(await partner.post(`/Customers/${lead}/${step}`), 422, 'quote_cancelled')
  rejected(await finalise(partner, lead), 422, 'quote_cancelled')
})

test('while the processor is down, reopening and cancelling return 503 and leave the quote unchanged', async () => {
  const { quoteId, lead } = await readyHousehold()
  const intent = await createIntent(lead)
  for (const step of ['reopen', 'cancel']) {
    processor.setMode('unreachable')
    const response = await partner.post(`/Quotes/${quoteId}/${step}`)
    rejected(response, 503, 'service_unavailable')
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
    processor.setMode('up')
    assert.equal(await quoteStatus(partner, quoteId), 'active')
    assert.equal(await paymentStatus(partner, lead), 'setup_started')
  }
  assert.equal((await processor.readIntent(intent)).status, 'requires_payment_method')
  succeeded(await partner.post(`/Quotes/${quoteId}/cancel`))
})

test('reopening a quote finds a card that was attached without a notice', async () => {
  const { quoteId, lead } = await readyHousehold()
  const intent = await createIntent(lead)
  await processor.confirm(intent)
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  assert.equal(await paymentStatus(partner, lead), 'ready')
  assert.equal(await createIntent(lead), intent)
})
