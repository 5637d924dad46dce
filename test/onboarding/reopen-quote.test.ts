import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import {
  addBroadband,
  addTenants,
  finalise,
  sampleTenants,
  startHousehold,
  startPaymentSetup,
} from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { advanceClock, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const reopen = (quoteId: string) => partner.post(`/Quotes/${quoteId}/reopen`)

test('a reopened quote returns to its previous status', async () => {
  const finishes: Record<string, (quoteId: string) => Promise<unknown>> = {
    TenantsAdded: async () => undefined,
    PackagesSelected: (id) => partner.post(`/Quotes/${id}/add-packages`, { packageIds: ['gas-standard'] }),
    PackagesUpdated: (id) => partner.post(`/Quotes/${id}/update-packages`, { packageIds: ['gas-standard'] }),
    BroadbandAdded: (id) => addBroadband(partner, id),
  }
  for (const [label, finish] of Object.entries(finishes)) {
    const { quoteId, lead } = await startHousehold(partner)
    await finish(quoteId)
    const before = await getQuote(partner, quoteId)
    assert.equal(before.status, label)
    await startPaymentSetup(partner, lead)
    assert.equal((await getQuote(partner, quoteId)).status, 'active')
    assert.equal(succeeded(await reopen(quoteId)).status, label)
    const { tenants, ...after } = await getQuote(partner, quoteId)
    assert.equal(tenants[0]?.status, 'PersonalInfoComplete')
    assert.deepEqual({ ...after, tenants: before.tenants }, before, 'nothing else has changed')
  }
})

test('tenants, packages, broadband and dates of a reopened quote can be changed, and payment can be set up again', async () => {
  const { quoteId, lead } = await startHousehold(partner, { packages: ['gas'], tenants: 1 })
  const firstIntent = await startPaymentSetup(partner, lead)
  succeeded(await reopen(quoteId))
  succeeded(await partner.post(`/Quotes/${quoteId}/add-packages`, { packageIds: ['electricity-standard'] }))
  await addTenants(partner, quoteId, sampleTenants(1, 2))
  await addBroadband(partner, quoteId)
  succeeded(await finalise(partner, lead, { contractStartDate: '2027-01-04' }))
  const { contractStartDate, status } = await getQuote(partner, quoteId)
  assert.deepEqual([contractStartDate, status], ['2027-01-04', 'BroadbandAdded'])
  assert.notEqual(await startPaymentSetup(partner, lead), firstIntent)
  assert.equal((await getQuote(partner, quoteId)).status, 'active')
})

test('reopening a quote cancels the open setup intents of all tenants, but keeps an attached card', async () => {
  const { quoteId, tenants: tenantIds } = await startHousehold(partner, { tenants: 2 })
  const [lead = '', other = ''] = tenantIds
  const attached = await startPaymentSetup(partner, lead)
  succeeded(await partner.post(`/Sandbox/setup-intents/${attached}/confirm`, { paymentMethod: 'pm_card_visa' }))
  const underWay = await startPaymentSetup(partner, other)
  succeeded(await reopen(quoteId))
  const paymentStatus = async (id: string) => succeeded(await partner.get(`/Customers/${id}`)).paymentStatus
  assert.deepEqual([await paymentStatus(lead), await paymentStatus(other)], ['ready', 'not_started'])
  const again = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  assert.equal(again.setupIntentId, attached, 'an intent with an attached card is kept')
  const renewed = succeeded(await partner.post(`/Customers/${other}/create-setup-intent`))
  assert.notEqual(renewed.setupIntentId, underWay)
})

test('if the prices of an active quote expire and it is then reopened, it is expired until total-cost renews it', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, tenants } = await startHousehold(own)
  const [lead = ''] = tenants
  await advanceClock(own, { days: 10 })
  await startPaymentSetup(own, lead)
  await advanceClock(own, { days: 10 })
  assert.equal((await totalCost(own, quoteId)).QuotePricesUpdated, false)
  succeeded(await own.post(`/Quotes/${quoteId}/reopen`))
  assertProblem(await own.post(`/Customers/${lead}/create-setup-intent`), 'quote_expired')
  assert.equal((await totalCost(own, quoteId)).QuotePricesUpdated, true)
  succeeded(await own.post(`/Customers/${lead}/create-setup-intent`))
})

test('reopen returns 503 with Retry-After and changes nothing if the processor is unreachable; a later retry reopens the quote', async () => {
  const { service: other, setMode, readIntent, stop } = await startServiceWithProcessor()
  try {
    const own = await connectPartner(other.baseUrl, other.credentials)
    const { quoteId, lead } = await startHousehold(own)
    const setupIntentId = await startPaymentSetup(own, lead)
    setMode('losing responses')
    const rejected = await own.post(`/Quotes/${quoteId}/reopen`)
    assertProblem(rejected, 'service_unavailable')
    assert.match(rejected.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await getQuote(own, quoteId)).status, 'active')
    setMode('up')
    assert.equal(succeeded(await own.post(`/Quotes/${quoteId}/reopen`)).status, 'TenantsAdded')
    assert.equal((await readIntent(setupIntentId)).status, 'canceled')
  } finally {
    await stop()
  }
})
