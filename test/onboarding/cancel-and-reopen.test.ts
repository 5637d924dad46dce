import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addBroadband, startHousehold, startPaymentSetup } from '../support/household.ts'
import {
  createActiveQuote,
  createExpiredQuote,
  createLeadOnboardedQuote,
  createQuote,
  getQuote,
  quoteFieldsOf,
  testTime,
} from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
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
