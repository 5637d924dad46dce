import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { addTenants, finalise, onboard, type QuoteOptions, quoteStatus, startHousehold } from '../support/household.ts'
import { createLeadOnboardedQuote, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { formatDate, readContracts, withoutWhiteSpace } from './documents.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

/** A household of two whose lead tenant accepted, and was removed after a reopening. */
async function removeLead() {
  const household = await createLeadOnboardedQuote(partner)
  succeeded(await partner.post(`/Quotes/${household.quoteId}/reopen`))
  succeeded(await partner.post(`/Quotes/${household.quoteId}/remove-tenants`, { tenantIds: [household.lead] }))
  return { ...household, second: household.tenants[1] ?? '' }
}

test('a tenant who will not accept is removed after a reopening, and the others accept again without a new card', async () => {
  const { quoteId, tenants } = await startHousehold(partner, { tenants: 3 })
  const [first = '', second = '', rejecting = ''] = tenants
  await onboard(partner, first)
  await onboard(partner, second)
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [rejecting] }))
  const { totalCost: whole, costBreakdown } = await totalCost(partner, quoteId)
  assert.equal(costBreakdown.length, 2)
  for (const tenant of [first, second]) succeeded(await partner.post(`/Customers/${tenant}/accept-terms`))
  assert.equal((await getQuote(partner, quoteId)).status, 'completed')
  let sum = 0
  for (const tenant of [first, second]) {
    const { paymentSchedule } = succeeded(await partner.get(`/Customers/${tenant}/payment-schedules`))
    for (const { amount } of paymentSchedule.payments) sum += amount
    const { contracts } = succeeded(await partner.get(`/Customers/${tenant}/contracts`))
    assert.deepEqual(
      contracts.map(({ status }) => status),
      ['in_force', 'superseded'],
    )
  }
  assert.equal(sum, whole)
  assert.equal((await partner.get(`/Customers/${rejecting}`)).status, 404, 'a tenant without a contract is gone')
})

test('a removed tenant who had a contract stays readable with it, but takes no further step', async () => {
  const { quoteId, lead, second } = await removeLead()
  const quote = await getQuote(partner, quoteId)
  assert.deepEqual([quote.leadTenantId, quote.tenants.map(({ tenantId }) => tenantId)], [second, [second]])
  const customer = succeeded(await partner.get(`/Customers/${lead}`))
  assert.equal(customer.removedAt?.slice(0, 10), '2026-12-01')
  assert.equal(customer.contract?.status, 'superseded')
  const number = customer.contract?.contractNumber
  const { contractUrl } = succeeded(
    await partner.get(`/Customers/${lead}/pci-contract-url-html?contractNumber=${number}`),
  )
  assert.equal((await fetch(contractUrl)).status, 200)
  assertProblem(await finalise(partner, lead), 'customer_removed')
  assertProblem(await partner.get(`/Customers/${lead}/payment-schedules`), 'customer_removed')
  for (const step of ['create-setup-intent', 'accept-terms'])
    assertProblem(await partner.post(`/Customers/${lead}/${step}`), 'customer_removed')
})

test("a removed tenant's e-mail address can be used again", async () => {
  const { quoteId, lead } = await removeLead()
  const { email } = succeeded(await partner.get(`/Customers/${lead}`)).personalDetails
  const [again = ''] = await addTenants(partner, quoteId, [{ name: 'Back Again', email }])
  assert.notEqual(again, lead)
  const twice = await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: [{ name: 'Twice', email }] })
  assertProblem(twice, 'duplicate_tenant', ['/tenants/0/email duplicate_tenant'])
})

test('a removed tenant can be erased, and the records of their contract are kept', async () => {
  const { lead } = await removeLead()
  const { retainedUntil } = succeeded(await partner.post(`/Customers/${lead}/erase`))
  assert.equal(retainedUntil, '2032-12-01')
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).personalDetails.email, '')
  assert.equal((await rawRows(service, 'select from contract_documents where customer_id = $1', [lead])).length, 1)
})

test('reopening and cancelling after acceptances announce each contract, each customer and then the quote, with the reason', async () => {
  for (const [step, reason, status] of [
    ['reopen', 'reopened', 'TenantsAdded'],
    ['cancel', 'quote_cancelled', 'cancelled'],
  ] as const) {
    const { quoteId, tenants } = await startHousehold(partner, { tenants: 3 })
    const accepted = tenants.slice(0, 2)
    for (const tenant of accepted) await onboard(partner, tenant)
    const [{ last } = { last: 0 }] = await rawRows(service, 'select max(event_number) as last from events')
    succeeded(await partner.post(`/Quotes/${quoteId}/${step}`))
    const events = await rawRows(
      service,
      `select type, data->>'customerId' as id, data->>'previousStatus' as was, data->>'status' as is,
       data->>'reason' as reason
         from events where quote_id = $1 and event_number > $2 order by event_number`,
      [quoteId, last],
    )
    assert.deepEqual(
      events.map(({ type, id, was, is, reason: why }) => [type, id, was, is, why]),
      [
        ...accepted.flatMap((id) => [
          ['customer.contract.changed', id, 'agreed', 'superseded', reason],
          ['customer.status.changed', id, 'OnboardingComplete', 'PersonalInfoComplete', reason],
        ]),
        ['quote.status.changed', null, 'active', status, reason],
      ],
    )
  }
})

/** Onboards a household at a special property and returns the lead tenant's contract. */
async function contractAt(home: string, packages: QuoteOptions['packages'], products: readonly string[] = []) {
  const household = await startHousehold(partner, { postcode: 'TE5 7AA', home, packages, products, tenants: 1 })
  await onboard(partner, household.lead)
  assert.equal(await quoteStatus(partner, household.quoteId), 'completed')
  return { ...household, ...(await readContracts(partner, household.lead)) }
}

test('payments for a property in Scotland fall on Scottish working days, in the schedules and in the contract', async () => {
  const { lead, html, pdf } = await contractAt('Scotland', ['electricity', 'gas'])
  const { paymentSchedule } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))
  // Sunday 1 August is followed by a holiday.
  assert.equal(paymentSchedule.nextPaymentDate, '2027-02-01')
  for (const day of ['2027-02-01', '2027-08-03'])
    for (const text of [html, pdf]) assert.ok(text.includes(withoutWhiteSpace(formatDate(day))), day)
  assert.ok(html.includes('bankholidayinScotland'))
})

test('a property whose upstreams fail gets an energy contract, and broadband if its products are known', async () => {
  for (const [home, products] of [
    ['both down', []],
    ['broadband database down', ['fibre-67']],
  ] as const) {
    const { html } = await contractAt(home, ['electricity', 'gas'], products)
    assert.equal(html.includes('HomeBroadband67'), products.length > 0, home)
  }
  const { quoteId, addressUid } = await startHousehold(partner, {
    postcode: 'TE5 7AA',
    home: 'home-telecom provider down',
  })
  const check = succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
  assert.deepEqual([check.homeTelecomError, check.broadbandDatabaseError], [true, false])
  const response = await partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts: ['fibre-67'] })
  rejected(response, 422, 'broadband_check_required')
})
