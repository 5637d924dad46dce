import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold, startPaymentSetup } from '../support/household.ts'
import {
  createActiveQuote,
  createCompletedQuote,
  createLeadOnboardedQuote,
  createQuote,
  getQuote,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import { join, startReplacement } from '../support/replacements.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

/** Creates a customer with an open setup intent. */
async function startIntent(own = partner): Promise<{ customerId: string; setupIntentId: string; quoteId: string }> {
  const { lead, quoteId } = await startHousehold(own)
  return { customerId: lead, setupIntentId: await startPaymentSetup(own, lead), quoteId }
}

async function paymentStatus(own: Partner, customerId: string): Promise<string> {
  return succeeded(await own.get(`/Customers/${customerId}`)).paymentStatus
}

const confirm = (setupIntentId: string, paymentMethod: string) =>
  partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod })

test('an unknown payment method returns 422 and names the field, and nothing changes', async () => {
  const { customerId, setupIntentId } = await startIntent()
  const response = await confirm(setupIntentId, 'pm_card_nonsense')
  assertProblem(response, 'validation_failed', ['/paymentMethod unknown_payment_method'])
  assert.equal(await paymentStatus(partner, customerId), 'setup_started')
})

test('an intent that has succeeded stays that way, whatever card is confirmed next', async () => {
  const { customerId, setupIntentId } = await startIntent()
  succeeded(await confirm(setupIntentId, 'pm_card_visa'))
  assert.equal(succeeded(await confirm(setupIntentId, 'pm_card_chargeDeclined')).status, 'succeeded')
  assert.equal(await paymentStatus(partner, customerId), 'ready')
})

test('confirming a card does not revive a cancelled intent', async () => {
  const { customerId, setupIntentId, quoteId } = await startIntent()
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  assert.equal(succeeded(await confirm(setupIntentId, 'pm_card_visa')).status, 'canceled')
  assert.equal(await paymentStatus(partner, customerId), 'not_started')
})

const expire = (quoteId: string) => partner.post(`/Sandbox/quotes/${quoteId}/expire`)

test('expiring an open quote does not change its status, and total-cost renews the quote', async () => {
  const { quoteId } = await startHousehold(partner)
  const before = await getQuote(partner, quoteId)
  const expired = succeeded(await expire(quoteId))
  assert.equal(expired.status, before.status)
  assert.ok(expired.expiresAt < before.expiresAt)
  assert.equal(expired.expiresAt.slice(0, 10), '2026-12-01')
  assert.equal((await getQuote(partner, quoteId)).expiresAt, expired.expiresAt)
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, true)
})

test('a quote that expires with another rate card is repriced on it, and other quotes keep their prices', async () => {
  const { quoteId } = await startHousehold(partner, { packages: ['electricity', 'gas'] })
  const other = await startHousehold(partner, { packages: ['electricity', 'gas'] })
  const before = await totalCost(partner, quoteId)
  const expireWith = (quotingToolVersionId: string) =>
    partner.post(`/Sandbox/quotes/${quoteId}/expire`, { quotingToolVersionId })
  assertProblem(await expireWith('price-cap-1999'), 'quoting_tool_version_not_found', ['/quotingToolVersionId'])
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, false)
  succeeded(await expireWith('price-cap-2026-q3-regional'))
  const after = await totalCost(partner, quoteId)
  assert.ok(after.QuotePricesUpdated && after.totalCost !== before.totalCost)
  assert.equal((await getQuote(partner, quoteId)).quotingToolVersionId, 'price-cap-2026-q3-regional')
  assert.equal((await totalCost(partner, other.quoteId)).QuotePricesUpdated, false)
})

test('expiring an expired quote changes nothing', async () => {
  const { quoteId } = await createQuote(partner)
  const first = succeeded(await expire(quoteId))
  assert.deepEqual(succeeded(await expire(quoteId)), first)
})

test('expiring an active quote ends its lock: it is open again with expired prices', async () => {
  const { quoteId } = await createActiveQuote(partner)
  const expired = succeeded(await expire(quoteId))
  assert.equal(expired.status, 'TenantsAdded')
  assert.equal(expired.lockedUntil, null)
  assert.equal(expired.expiresAt.slice(0, 10), '2026-12-01')
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, true)
})

const report = (quoteId: string, body: object, own: Partner = partner) =>
  own.post(`/Sandbox/quotes/${quoteId}/service-status`, body)
const electricity = (status: string) => ({ serviceId: 'electricity-standard', status })

const statuses = async (customerId: string) =>
  succeeded(await partner.get(`/Customers/${customerId}`)).services.map(({ serviceId, status }) => [serviceId, status])

/** The changes of services that events tell of a quote, oldest first. */
async function told(quoteId: string): Promise<unknown[][]> {
  const rows = await rawRows(
    service,
    `select data ->> 'customerId' as customer, data ->> 'previousStatus' as before, data ->> 'status' as after
     from events
      where quote_id = $1 and type = 'customer.service.changed' order by event_number`,
    [quoteId],
  )
  return rows.map(({ customer, before, after }) => [customer, before, after])
}

test('the same status again changes nothing and sends nothing', async () => {
  const { quoteId, lead } = await createCompletedQuote(partner)
  for (const status of ['active', 'failed', 'failed', 'active']) succeeded(await report(quoteId, electricity(status)))
  assert.equal((await statuses(lead))[0]?.[1], 'active')
  assert.equal((await told(quoteId)).length, 3)
  const impossible = { ...electricity('active'), reason: 'rejected' }
  assertProblem(await report(quoteId, impossible), 'validation_failed', ['/reason not_allowed'])
})

test('a tenant whose contract is over has no supply, whatever is reported, and gets no event', async () => {
  const { quoteId, lead, tenants } = await createCompletedQuote(partner, { tenants: 2 })
  succeeded(await partner.post(`/Customers/${lead}/cancel-contract`))
  succeeded(await report(quoteId, electricity('requested')))
  assert.deepEqual(
    (await statuses(lead)).map(([, status]) => status),
    ['withdrawn', 'withdrawn'],
  )
  assert.deepEqual(await told(quoteId), [[tenants[1], 'pending', 'requested']])
})

test('a tenant who takes over a share sees what was reported before', async () => {
  const { quoteId, leaver, joiner } = await startReplacement(partner, { tenants: 1 })
  succeeded(await report(quoteId, electricity('requested')))
  await join(partner, joiner)
  assert.equal((await statuses(joiner))[0]?.[1], 'requested')
  succeeded(await report(quoteId, electricity('active')))
  assert.equal((await told(quoteId)).filter(([customer]) => customer === joiner).length, 1)
  assert.equal((await told(quoteId)).filter(([customer]) => customer === leaver).length, 2)
})

test('until every tenant has accepted, services are pending and no other status can be set', async () => {
  const { quoteId, lead, tenants } = await createLeadOnboardedQuote(partner)
  assert.deepEqual(
    (await statuses(lead)).map(([, status]) => status),
    ['pending', 'pending'],
  )
  const [, other = ''] = tenants
  assert.deepEqual(
    (await statuses(other)).map(([, status]) => status),
    ['pending', 'pending'],
  )
  const problem = rejected(await report(quoteId, electricity('active')), 422, 'onboarding_incomplete')
  assert.match(problem.detail, /accept-terms/)
  await onboard(partner, other)
  succeeded(await report(quoteId, electricity('active')))
})

test('an unknown service names those of the quote, and an unknown status those that exist', async () => {
  const { quoteId } = await createCompletedQuote(partner)
  const problem = assertProblem(
    await report(quoteId, { serviceId: 'unknown_service', status: 'active' }),
    'validation_failed',
    ['/serviceId not_allowed'],
  )
  assert.match(problem.detail, /electricity-standard, gas-standard/)
  const wrong = assertProblem(await report(quoteId, electricity('great')), 'validation_failed', ['/status not_allowed'])
  assert.match(wrong.detail, /pending, requested, active/)
  rejected(await report(quoteId, {}), 400, 'invalid_request')
})
