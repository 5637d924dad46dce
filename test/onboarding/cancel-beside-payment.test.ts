import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { finalise, startHousehold, startPaymentSetup } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { getQuote } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'

const { service, holdNext, readIntent, stop } = await startServiceWithProcessor()
after(stop)
const partner = await connectPartner(service.baseUrl, service.credentials)

/**
 * Delays the processor call that cancels this intent until another tenant has started payment setup. Returns the new
 * intent.
 */
async function beginMeanwhile(underWay: string, customerId: string): Promise<string> {
  const { arrived, release } = holdNext(`POST /v1/setup_intents/${underWay}/cancel`)
  await arrived
  const begun = await startPaymentSetup(partner, customerId)
  release()
  return begun
}

for (const operation of ['cancel', 'reopen'] as const) {
  test(`if a tenant starts payment setup at the same time, ${operation} cancels their setup intent too`, async () => {
    const { quoteId, tenants: tenantIds } = await startHousehold(partner, { tenants: 2 })
    const [lead = '', other = ''] = tenantIds
    const first = await startPaymentSetup(partner, lead)
    succeeded(await finalise(partner, other))
    const [begun, response] = await Promise.all([
      beginMeanwhile(first, other),
      partner.post(`/Quotes/${quoteId}/${operation}`, undefined, { headers: { 'Idempotency-Key': quoteId } }),
    ])
    assert.equal(succeeded(response).status, operation === 'cancel' ? 'cancelled' : 'TenantsAdded')
    assert.equal((await readIntent(begun)).status, 'canceled')
    for (const customerId of tenantIds)
      assert.equal(succeeded(await partner.get(`/Customers/${customerId}`)).paymentStatus, 'not_started')
  })
}

test('cancel returns 503 and leaves the quote active if tenants keep starting payment setup', async () => {
  const { quoteId, tenants: tenantIds } = await startHousehold(partner, { tenants: 4 })
  const [lead = '', ...others] = tenantIds
  let underWay = await startPaymentSetup(partner, lead)
  const response = partner.post(`/Quotes/${quoteId}/cancel`)
  for (const customerId of others) underWay = await beginMeanwhile(underWay, customerId)
  const rejected = await response
  assertProblem(rejected, 'service_unavailable')
  assert.equal(rejected.headers.get('retry-after'), '1')
  assert.equal((await getQuote(partner, quoteId)).status, 'active')
  assert.equal(succeeded(await partner.post(`/Quotes/${quoteId}/cancel`)).status, 'cancelled')
})
