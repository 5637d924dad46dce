import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { advanceClock, testTime } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryProperty()

test('POST /Quotes with packages returns the packages it selected and what they cost, as the quote shows them later', async () => {
  const body = { addressUid, packages: ['electricity', 'gas'], bedrooms: 3, reference: 'viewing 7' }
  const created = succeeded(await partner.post('/Quotes', body))
  assert.deepEqual(
    created.selectedPackages.map(({ type, status }) => [type, status]),
    [
      ['electricity', 'selected'],
      ['gas', 'selected'],
    ],
  )
  assert.deepEqual([created.status, created.bedrooms, created.reference], ['draft', 3, 'viewing 7'])
  const { quoteId, cost } = created
  assert.ok(cost !== null && cost.totalCost > cost.monthlyCost && cost.monthlyCost > 0)
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).cost, cost)
  const tenants = [{ name: 'Robin Example', email: 'robin@example.com' }]
  const added = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants }))
  const total = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  assert.deepEqual([added.cost?.totalCost, added.cost?.setupCost], [total.totalCost, total.setupCost])
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).cost, added.cost)
})

test('without packages there is no cost; adding and replacing packages returns the new one', async () => {
  const { quoteId, cost, selectedPackages } = succeeded(await partner.post('/Quotes', { addressUid }))
  assert.deepEqual([cost, selectedPackages], [null, []])
  const add = { packageIds: ['electricity-standard'] }
  const one = succeeded(await partner.post(`/Quotes/${quoteId}/add-packages`, add))
  const both = { packageIds: ['electricity-standard', 'gas-standard'] }
  const two = succeeded(await partner.post(`/Quotes/${quoteId}/update-packages`, both))
  assert.ok(one.cost !== null && two.cost !== null && two.cost.totalCost > one.cost.totalCost)
})

test('a step warns that broadband without a line is not included', async () => {
  const { warnings } = succeeded(await partner.post('/Quotes', { addressUid, packages: ['electricity', 'broadband'] }))
  assert.deepEqual(warnings, ['broadband_not_included'])
})

test('a start within the cancellation period warns until every tenant has asked for it, and accept-terms would reject', async () => {
  const { quoteId, tenants } = await startHousehold(partner, { contractStartDate: '2026-12-10', tenants: 2 })
  const warnings = async () => succeeded(await partner.get(`/Quotes/${quoteId}`)).warnings
  assert.deepEqual(await warnings(), ['supply_request_required'])
  const [lead = '', second = ''] = tenants
  const asks = { supplyDuringCancellation: true }
  succeeded(await finalise(partner, lead, asks))
  assert.deepEqual(await warnings(), ['supply_request_required'])
  succeeded(await finalise(partner, second, asks))
  assert.deepEqual(await warnings(), [])
})

test('an expired quote warns until total-cost has renewed its prices, and calls reject meanwhile', async () => {
  const { quoteId } = await startHousehold(partner, { tenants: 1 })
  await advanceClock(partner, { days: 15 })
  const own = await connectPartner(service.baseUrl, service.credentials)
  const expired = succeeded(await own.get(`/Quotes/${quoteId}`))
  assert.deepEqual(expired.warnings, ['quote_expired'])
  assert.match(expired.warningDetails[0]?.detail ?? '', /total-cost/)
  rejected(await own.post(`/Quotes/${quoteId}/add-packages`, { packageIds: ['gas-standard'] }), 422, 'quote_expired')
  succeeded(await own.get(`/Quotes/${quoteId}/total-cost`))
  assert.deepEqual(succeeded(await own.get(`/Quotes/${quoteId}`)).warnings, [])
})
