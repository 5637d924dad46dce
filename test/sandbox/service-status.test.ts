import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard } from '../support/household.ts'
import { createCompletedQuote, createLeadOnboardedQuote, testTime } from '../support/quote-fixtures.ts'
import { join, startReplacement } from '../support/replacements.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
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

test('a status that is reported holds for every tenant, and each has one event', async () => {
  const { quoteId, tenants } = await createCompletedQuote(partner, { tenants: 2 })
  const body = electricity('requested')
  assert.deepEqual(succeeded(await report(quoteId, body)), { quoteId, ...body })
  for (const tenant of tenants) {
    assert.deepEqual(await statuses(tenant), [
      ['electricity-standard', 'requested'],
      ['gas-standard', 'pending'],
    ])
  }
  const expected = tenants.map((tenant) => [tenant, 'pending', 'requested'])
  assert.deepEqual((await told(quoteId)).sort(), expected.sort())
})

test('the same status again changes nothing and sends nothing', async () => {
  const { quoteId, lead } = await createCompletedQuote(partner)
  for (const status of ['active', 'failed', 'failed', 'active']) succeeded(await report(quoteId, electricity(status)))
  assert.equal((await statuses(lead))[0]?.[1], 'active')
  assert.equal((await told(quoteId)).length, 3)
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
