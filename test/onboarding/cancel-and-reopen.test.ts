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
import {
  advanceClock,
  createActiveQuote,
  createExpiredQuote,
  createLeadOnboardedQuote,
  createQuote,
  getQuote,
  quoteFieldsOf,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const cancel = (quoteId: string) => partner.post(`/Quotes/${quoteId}/cancel`)

test('an open quote can be cancelled at every step, even after it has expired, and cancel returns it', async () => {
  const draft = await createQuote(partner)
  assert.deepEqual(succeeded(await cancel(draft.quoteId)), { ...quoteFieldsOf(draft), status: 'cancelled' })
  for (const { quoteId } of [await startHousehold(partner), await createExpiredQuote(partner)]) {
    assert.equal(succeeded(await cancel(quoteId)).status, 'cancelled')
    assert.equal((await getQuote(partner, quoteId)).status, 'cancelled')
  }
})

test('cancelling an active quote before any tenant has completed onboarding also cancels its open setup intent', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  const setupIntentId = await startPaymentSetup(partner, lead)
  assert.equal(succeeded(await cancel(quoteId)).status, 'cancelled')
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).paymentStatus, 'not_started')
  const confirmed = await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, {
    paymentMethod: 'pm_card_visa',
  })
  assert.equal(succeeded(confirmed).status, 'canceled')
  assertProblem(await partner.post(`/Customers/${lead}/create-setup-intent`), 'quote_cancelled')
})

test('an attached card stays attached when the quote is cancelled, but cannot be used', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  const setupIntentId = await startPaymentSetup(partner, lead)
  succeeded(await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod: 'pm_card_visa' }))
  assert.equal(succeeded(await cancel(quoteId)).status, 'cancelled')
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).paymentStatus, 'ready')
  assertProblem(await partner.post(`/Customers/${lead}/accept-terms`), 'quote_cancelled')
})

test('cancelling after some tenants have accepted supersedes their contracts, which stay readable', async () => {
  const { quoteId, lead } = await createLeadOnboardedQuote(partner, { tenants: 2 })
  assert.equal(succeeded(await cancel(quoteId)).status, 'cancelled')
  const { status, contract, paymentStatus } = succeeded(await partner.get(`/Customers/${lead}`))
  assert.deepEqual([status, paymentStatus], ['PersonalInfoComplete', 'ready'])
  assert.deepEqual([contract?.status, contract?.endReason], ['superseded', 'quote_cancelled'])
  const number = contract?.contractNumber
  const link = succeeded(await partner.get(`/Customers/${lead}/pci-contract-url-html?contractNumber=${number}`))
  assert.equal((await fetch(link.contractUrl)).status, 200)
})

test('a cancelled quote can be read with its last figures, but every further step is rejected', async () => {
  const { quoteId, lead } = await startHousehold(partner, { addressUid: ordinaryProperty(1).addressUid })
  const cost = await totalCost(partner, quoteId)
  succeeded(await cancel(quoteId))
  assert.deepEqual(await totalCost(partner, quoteId), { ...cost, status: 'cancelled' })
  assertProblem(await cancel(quoteId), 'quote_cancelled')
  assertProblem(await partner.post(`/Quotes/${quoteId}/reopen`), 'quote_cancelled')
  assertProblem(
    await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: sampleTenants(1, 9) }),
    'quote_cancelled',
  )
  assertProblem(await partner.get(`/Customers/${lead}/payment-schedules`), 'quote_cancelled')
})

test('cancel returns 503 with Retry-After and changes nothing if the processor is down; a later retry cancels the quote', async () => {
  const { service: other, setMode, readIntent, stop } = await startServiceWithProcessor()
  try {
    const own = await connectPartner(other.baseUrl, other.credentials)
    const { quoteId, lead } = await startHousehold(own)
    const setupIntentId = await startPaymentSetup(own, lead)
    setMode('failing')
    const rejected = await own.post(`/Quotes/${quoteId}/cancel`)
    assertProblem(rejected, 'service_unavailable')
    assert.match(rejected.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await getQuote(own, quoteId)).status, 'active')
    setMode('up')
    assert.equal(succeeded(await own.post(`/Quotes/${quoteId}/cancel`)).status, 'cancelled')
    assert.equal((await readIntent(setupIntentId)).status, 'canceled')
  } finally {
    await stop()
  }
})

test('of two simultaneous cancel calls, one cancels and the other finds the quote cancelled', async () => {
  const { quoteId } = await createActiveQuote(partner)
  const responses = await Promise.all([cancel(quoteId), cancel(quoteId)])
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 422])
  for (const response of responses) if (response.status === 422) assertProblem(response, 'quote_cancelled')
})

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
