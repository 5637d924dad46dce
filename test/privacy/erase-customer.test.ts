import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows, waitForPaymentStatus } from '../support/customer-fixtures.ts'
import { attachCard, finalise, onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

test('an erased customer without a contract stays in the quote only as a placeholder with a share of the cost', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead))
  const before = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  const detailsOf = async () => succeeded(await partner.get(`/Customers/${lead}/export`)).personalDetails
  const given = await detailsOf()
  const erased = succeeded(await partner.post(`/Customers/${lead}/erase`))
  assert.deepEqual([erased.customerId, erased.retainedUntil, erased.retained], [lead, null, []])
  const { firstName, ...others } = await detailsOf()
  assert.equal(firstName, 'Erased')
  for (const [name, value] of Object.entries(given)) assert.ok(value, `${name} was given`)
  assert.deepEqual(['firstName', ...Object.keys(others)], Object.keys(given))
  for (const [name, value] of Object.entries(others)) assert.ok(value === '' || value === null, `${name} is erased`)
  const quote = succeeded(await partner.get(`/Quotes/${quoteId}`))
  assert.equal(quote.leadTenantId, null)
  const after = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  assert.equal(after.totalCost, before.totalCost)
})

test('an erasure repeated with or without an idempotency key returns the same timestamp', async () => {
  const { lead } = await startHousehold(partner)
  const path = `/Customers/${lead}/erase`
  const headers = { 'Idempotency-Key': 'erase-once' }
  const first = succeeded(await partner.post(path, undefined, { headers }))
  assert.deepEqual(succeeded(await partner.post(path)), first)
  const replay = await partner.post(path, undefined, { headers })
  assert.deepEqual(succeeded(replay), first)
  assert.equal(replay.headers.get('idempotent-replayed'), 'true')
})

test('an erased customer cannot take further steps, but the tenant can be removed', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead))
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  rejected(await finalise(partner, lead), 422, 'customer_erased')
  rejected(await partner.post(`/Customers/${lead}/create-setup-intent`), 422, 'customer_erased')
  rejected(await partner.post(`/Customers/${lead}/accept-terms`), 422, 'customer_erased')
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [lead] }))
})

test('a customer cannot be erased until the contract has ended; after erasure only the documents are kept', async () => {
  const other = await connectNewPartner(service)
  const { quoteId, lead } = await startHousehold(other, { tenants: 1 })
  await onboard(other, lead)
  const { contractEndDate } = succeeded(await other.get(`/Quotes/${quoteId}`))
  const problem = rejected(await other.post(`/Customers/${lead}/erase`), 422, 'contract_running')
  assert.ok(problem.detail.includes(contractEndDate))
  const daysLeft = Math.floor((Date.parse(contractEndDate) - Date.now()) / 86_400_000)
  await advanceClock(other, { days: daysLeft - 1 })
  rejected(await other.post(`/Customers/${lead}/erase`), 422, 'contract_running')
  await advanceClock(other, { days: 3 })
  const erased = succeeded(await other.post(`/Customers/${lead}/erase`))
  assert.equal(erased.retainedUntil, `${Number(contractEndDate.slice(0, 4)) + 6}${contractEndDate.slice(4)}`)
  assert.ok(erased.retained.includes('contract documents'))
  const held = succeeded(await other.get(`/Customers/${lead}/export`))
  assert.equal(held.documents.length, 2)
  assert.equal(held.personalDetails.email, '')
  assert.ok(held.terms && held.terms.termsVersion.length > 0)
  succeeded(await other.get(`/Customers/${lead}/pci-contract-url-html`))
})

test('an erased customer is queued for deletion at the processor, and late notices are ignored', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  await attachCard(partner, lead)
  await waitForPaymentStatus(partner, lead, 'ready')
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  const [deletion] = await rawRows(
    service,
    'select processor_customer_id as id from processor_deletions where customer_id = $1',
    [lead],
  )
  assert.match(String(deletion?.id), /^cus_/)
  assert.deepEqual(await rawRows(service, 'select from setup_intents where customer_id = $1', [lead]), [])
})

test('an erasure with a body returns 400', async () => {
  const { lead } = await startHousehold(partner)
  rejected(await partner.post(`/Customers/${lead}/erase`, { force: true }), 400, 'invalid_request')
})
