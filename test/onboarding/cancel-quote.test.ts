import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { sampleTenants, startHousehold, startPaymentSetup } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import {
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
