import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addTenants, finalise, sampleTenants, startHousehold } from '../support/household.ts'
import {
  createActiveQuote,
  createExpiredQuote,
  createQuote,
  getQuote,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const remove = (quoteId: string, tenantIds: unknown) => partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds })
const idsOf = (tenants: { tenantId: string }[]) => tenants.map(({ tenantId }) => tenantId)
const nobody = 'tenant_01h455vb4pex5vsknk084sn02q'

test('removing tenants returns the quote and the remaining tenants; a removed customer returns 404', async () => {
  const { quoteId, tenants: tenantIds } = await startHousehold(partner, { tenants: 3 })
  const [first = '', second = '', third] = tenantIds
  const before = await getQuote(partner, quoteId)
  const { tenants, ...quote } = succeeded(await remove(quoteId, [second]))
  assert.deepEqual(idsOf(tenants), [first, third])
  assert.equal(quote.status, 'TenantsAdded')
  assert.deepEqual([quote.leadTenantId, quote.expiresAt], [first, before.expiresAt])
  assert.deepEqual((await getQuote(partner, quoteId)).tenants, tenants)
  assertProblem(await partner.get(`/Customers/${second}`), 'not_found')
})

test('a removed lead tenant is succeeded by the tenant who joined next; a tenant who is added again joins last', async () => {
  const { quoteId, tenants: tenantIds, lead } = await startHousehold(partner, { tenants: 3 })
  const [, second, third] = tenantIds
  const response = succeeded(await remove(quoteId, [lead]))
  assert.equal(response.leadTenantId, second)
  assert.deepEqual(
    response.tenants.map(({ isLead }) => isLead),
    [true, false],
  )
  const [returned] = await addTenants(partner, quoteId, sampleTenants(1))
  assert.notEqual(returned, lead)
  assert.deepEqual(idsOf((await getQuote(partner, quoteId)).tenants), [second, third, returned])
  const { costBreakdown } = await totalCost(partner, quoteId)
  assert.deepEqual(idsOf(costBreakdown), [second, third, returned], 'the new lead tenant pays the first odd penny')
})

test('after the lead tenant is removed, the new lead tenant can set the contract dates', async () => {
  const { quoteId, tenants: tenantIds, lead } = await startHousehold(partner, { tenants: 2 })
  const [, second = ''] = tenantIds
  succeeded(await remove(quoteId, [lead]))
  succeeded(await finalise(partner, second, { contractStartDate: '2027-02-01' }))
  assert.equal((await getQuote(partner, quoteId)).contractStartDate, '2027-02-01')
})

test('after tenants are removed, the remaining ones share the cost, and their number determines the consumption', async () => {
  const { quoteId, tenants: tenantIds } = await startHousehold(partner, { tenants: 4 })
  const four = await totalCost(partner, quoteId)
  succeeded(await remove(quoteId, tenantIds.slice(1)))
  const one = await totalCost(partner, quoteId)
  assert.equal(one.costBreakdown.length, 1)
  assert.equal(one.costBreakdown[0]?.totalCost, one.totalCost)
  assert.ok(one.totalCost < four.totalCost)
  assert.deepEqual((await getQuote(partner, quoteId)).priceUpdates.at(-1)?.reason, 'tenants_changed')
})

test('all tenants can be removed; the status then reflects what is left, and tenants are required again', async () => {
  const withPackages = await startHousehold(partner)
  const left = succeeded(await remove(withPackages.quoteId, withPackages.tenants))
  assert.deepEqual([left.status, left.leadTenantId, left.tenants], ['PackagesSelected', null, []])
  assertProblem(await partner.get(`/Quotes/${withPackages.quoteId}/total-cost`), 'tenants_required')
  const { quoteId } = await createQuote(partner)
  assert.equal(succeeded(await remove(quoteId, await addTenants(partner, quoteId, sampleTenants(12)))).status, 'draft')
  assert.equal((await addTenants(partner, quoteId, sampleTenants(12))).length, 12)
})

test('tenants can be removed from an expired quote, which stays expired', async () => {
  const { quoteId, lead } = await createExpiredQuote(partner)
  const { expiresAt } = await getQuote(partner, quoteId)
  assert.equal(succeeded(await remove(quoteId, [lead])).expiresAt, expiresAt)
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, true)
})

test('ids that are not tenants of the quote return 422 and are all named, and no tenant is removed', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  const other = await startHousehold(partner)
  const response = await remove(quoteId, [lead, other.lead, nobody, 'x', lead.toUpperCase()])
  assertProblem(
    response,
    'validation_failed',
    [1, 2, 3, 4].map((index) => `/tenantIds/${index} not_allowed`),
  )
  assert.equal((await getQuote(partner, quoteId)).tenants.length, 2)
  assert.equal((await getQuote(partner, other.quoteId)).tenants.length, 2)
})

test('at most twelve tenants can be removed at once', async () => {
  const { quoteId } = await startHousehold(partner)
  const thirteen = Array.from({ length: 13 }, () => nobody)
  assertProblem(await remove(quoteId, thirteen), 'validation_failed', ['/tenantIds too_long'])
})

test('a tenant who has started payment setup can be removed once the quote is reopened', async () => {
  const { quoteId, tenants: tenantIds, lead } = await createActiveQuote(partner)
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  const { tenants } = succeeded(await remove(quoteId, [lead]))
  assert.deepEqual(idsOf(tenants), tenantIds.slice(1))
  assertProblem(await partner.get(`/Customers/${lead}`), 'not_found')
})
