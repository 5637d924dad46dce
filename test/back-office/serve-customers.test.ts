import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Static } from 'typebox'
import type { PaymentList } from '../../src/back-office/payments/payment.schema.ts'
import type { FoundCustomerList } from '../../src/back-office/people/find-customers.route.ts'
import { serveCustomerRoutes } from '../../src/back-office/people/serve-customer.route.ts'
import type { EndedContractObject } from '../../src/contracts/ended-contract.schema.ts'
import type { CustomerObject } from '../../src/onboarding/customer.schema.ts'
import { markPartnerDisabled, updateSuspension } from '../../src/partners/partners.store.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, personalInformation, startHousehold } from '../support/household.ts'
import { connectOperator, type Operator } from '../support/operator.ts'
import { connectNewPartner, withDatabase } from '../support/partners.ts'
import { advanceClock, testTime } from '../support/quote-fixtures.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

type Ended = Static<typeof EndedContractObject>
type Customer = Static<typeof CustomerObject>

type Payments = Static<typeof PaymentList>

const service = await shareTestService({}, { startAt: testTime })
let operator: Operator
before(async () => {
  operator = await connectOperator(service, ['support:read', 'support:write', 'contracts:read', 'payments:read'])
})

/** A partner with a household in force since 1 December 2026, and a second tenant. */
async function inForce(more: { contractStartDate?: string; tenants?: number } = {}) {
  const partner = await connectNewPartner(service)
  const household = await startHousehold(partner, { tenants: 1, ...more })
  for (const tenant of household.tenants) await onboard(partner, tenant, { supplyDuringCancellation: true })
  const [{ partnerId } = {}] = await rawRows(
    service,
    'select partner_id as "partnerId" from quotes where quote_id = $1',
    [household.quoteId],
  )
  return { partner, partnerId: String(partnerId), ...household }
}

/** Does for an open household what its lead tenant can. */
async function leadFor(quoteId: string): Promise<void> {
  const household = async () =>
    succeeded(await operator.get<Static<typeof FoundCustomerList>>(`/Customers?quoteId=${quoteId}`)).data
  const [housemate = assert.fail()] = await household()
  const quote = `/Quotes/${quoteId}`
  succeeded(await operator.post<object>(`${quote}/remove-tenants`, { tenantIds: [housemate.customerId] }))
  const tenants = [{ name: 'Hal Mate', email: 'hal.mate@example.com' }]
  succeeded(await operator.post<object>(`${quote}/add-tenants`, { tenants }))
  const [added = assert.fail(), lead = assert.fail()] = await household()
  assert.deepEqual([added.personalDetails.email, lead.quoteId], [tenants[0]?.email, quoteId])
  const dated = personalInformation({ contractStartDate: '2027-02-01' })
  succeeded(await operator.post<object>(`/Customers/${lead.customerId}/finalise-personal-information`, dated))
  succeeded(await operator.post<{ url: string }>(`/Customers/${added.customerId}/onboarding-links`))
  const { contractStartDate, householdComplete } = succeeded(
    await operator.patch<{ contractStartDate: string; householdComplete: boolean }>(quote, { householdComplete: true }),
  )
  assert.deepEqual([contractStartDate, householdComplete], ['2027-02-01', true])
  succeeded(await operator.patch<object>(`${quote}/occupiers`, { moveIn: { date: '2027-01-30' } }))
  succeeded(await operator.post<object>(`${quote}/move-start`, { contractStartDate: '2027-02-15' }))
}

/** What an operator does to a partner, before it serves the partner's customers. */
const states: Record<string, (partnerId: string) => Promise<unknown>> = {
  suspended: (partnerId) => withDatabase(service, (db) => updateSuspension(db, partnerId, new Date())),
  disabled: (partnerId) => withDatabase(service, (db) => markPartnerDisabled(db, partnerId, new Date())),
}

for (const [state, move] of Object.entries(states)) {
  test(`of a partner that is ${state}, the operator leads, changes, replaces, ends and cancels, and the audit log names it`, async () => {
    const { partner, partnerId, quoteId, tenants } = await inForce({ tenants: 3 })
    const open = await startHousehold(partner)
    const [first = '', second = '', third = ''] = tenants
    await move(partnerId)
    const changed = succeeded(await operator.patch<Customer>(`/Customers/${first}`, { phone: '07700 900777' }))
    assert.equal(changed.personalDetails.phone, '+447700900777')
    const end = { endDate: '2027-06-30' }
    const dry = succeeded(await operator.post<Ended>(`/Customers/${first}/end-contract?dryRun=true`, end))
    assert.deepEqual(succeeded(await operator.post<Ended>(`/Customers/${first}/end-contract`, end)), dry)
    succeeded(await operator.post<Ended>(`/Customers/${first}/keep-contract`))
    const said = { lastDay: '2027-06-30', reason: 'tenancy_ended', evidence: 'tenants_notice' }
    succeeded(await operator.post<object>(`/Quotes/${quoteId}/end-household`, said))
    succeeded(await operator.post<object>(`/Customers/${third}/answer-tenancy-end`, { answer: 'stays' }))
    succeeded(await operator.post<object>(`/Customers/${first}/answer-tenancy-end`, { answer: 'leaves' }))
    succeeded(await operator.post<object>(`/Customers/${first}/confirm-end-reason`, { isTrue: true }))
    const cancelled = succeeded(await operator.post<Ended>(`/Customers/${second}/cancel-contract`, {}))
    assert.equal(cancelled.contract.status, 'cancelled')
    const joiner = { name: 'Jo Iner', email: 'jo.iner@example.com', from: '2027-03-01' }
    const { customerId } = succeeded(
      await operator.post<{ customerId: string }>(`/Customers/${third}/replacements`, joiner),
    )
    const withdrawn = succeeded(await operator.post<object>(`/Customers/${third}/withdraw-replacement`))
    assert.deepEqual(withdrawn, { customerId: third, withdrawn: customerId })
    const intent = succeeded(
      await operator.post<{ clientSecret: string }>(`/Customers/${third}/create-setup-intent`, { replace: true }),
    )
    assert.ok(intent.clientSecret.length > 0)
    const again = succeeded(await operator.post<{ kinds: string[] }>(`/Customers/${second}/resend-mails`))
    assert.deepEqual(again.kinds, ['cancelled', 'contract_in_force'])
    const { contractUrl } = succeeded(
      await operator.get<{ contractUrl: string }>(`/Customers/${third}/pci-contract-url-pdf`),
    )
    assert.equal((await fetch(contractUrl)).status, 200)
    succeeded(await operator.post<object>(`/Customers/${third}/revoke-links`))
    assert.equal((await fetch(contractUrl)).status, 403)
    succeeded(await operator.get<object>(`/Customers/${third}/meter-readings`))
    succeeded(await operator.get<object>(`/Customers/${third}/emails`))
    succeeded(await operator.post<object>(`/Customers/${third}/report-death`, { relationship: 'Their landlord' }))
    const { contractNumber, effectiveAt } = dry.contract
    const confirmed = `/Customers/${first}/contracts/${contractNumber}/confirmation-sent`
    succeeded(await operator.post<object>(confirmed, { sentAt: effectiveAt }))
    await leadFor(open.quoteId)
    const entries = await rawRows(
      service,
      `select distinct operation from audit_log where partner_id = $1 and actor = 'operator' and credential = $2`,
      [partnerId, operator.clientId],
    )
    const used = serveCustomerRoutes
      .map(({ operationId }) => operationId)
      // Meters are read once the contract has begun: see test/contracts/meter-readings.test.ts.
      .filter((id) => id !== 'getPciContractUrlHtml' && id !== 'reportMeterReading')
    assert.deepEqual(entries.map(({ operation }) => operation).sort(), ['findCustomers', ...used].sort())
  })
}

test('payments of a disabled partner stay due, and the list and the file say whose they are', async () => {
  const { partnerId, lead } = await inForce()
  const whose = async () => {
    const { data } = succeeded(await operator.get<Payments>(`/Payments?customerId=${lead}&status=scheduled`))
    const [{ partnerName, partnerStatus, entryId } = {}] = data
    const file = (await operator.get('/Payments/export?format=ndjson')).text
    const line = file.split('\n').find((each) => each.includes(entryId ?? 'no payment')) ?? '{}'
    const inFile = JSON.parse(line) as Record<string, unknown>
    assert.deepEqual([inFile.partnerName, inFile.partnerStatus], [partnerName, partnerStatus])
    return { count: data.length, partnerName, partnerStatus }
  }
  const before = await whose()
  assert.deepEqual([before.partnerName, before.partnerStatus], [partnerId, 'active'])
  await states.disabled?.(partnerId)
  assert.deepEqual(await whose(), { ...before, partnerStatus: 'disabled' })
})

test('a cancellation that was sent in time and arrived later is in time; the 14 days of the refund begin when it arrived', async () => {
  const { partner, lead } = await inForce()
  const { amount } = succeeded(await partner.post(`/Sandbox/customers/${lead}/collect`))
  await advanceClock(partner, { days: 20 })
  const path = `/Customers/${lead}/cancel-contract`
  const late = rejected(await operator.post(path, { informedOn: '2026-12-18' }), 422, 'contract_not_cancellable')
  assert.match(late.detail, /sentOn/)
  rejected(
    await operator.post(path, { sentOn: '2026-12-16', informedOn: '2026-12-18' }),
    422,
    'contract_not_cancellable',
  )
  const notice = { sentOn: '2026-12-15', informedOn: '2026-12-18' }
  const { contract, finalStatement } = succeeded(await operator.post<Ended>(path, notice))
  assert.equal(contract.endReason, 'cancelled')
  assert.deepEqual([finalStatement.refundAmount, finalStatement.refundBy], [amount, '2027-01-01'])
})

test('the days supplied count until the message arrived, and sentOn alone means that it arrived today', async () => {
  const { partner, lead } = await inForce({ contractStartDate: '2026-12-03' })
  const { totalCost } = succeeded(await partner.get(`/Customers/${lead}/total-cost`))
  await advanceClock(partner, { days: 11 })
  const { finalStatement } = succeeded(
    await operator.post<Ended>(`/Customers/${lead}/cancel-contract`, { sentOn: '2026-12-04' }),
  )
  // 3 to 12 December, of a year.
  assert.equal(finalStatement.supplyCost, Math.round((totalCost * 10) / 365))
})

test('the notice of the terms runs from sentOn, for partners and for the operator', async () => {
  const { partner, lead } = await inForce()
  await advanceClock(partner, { days: 60 })
  const { contract } = succeeded(await partner.get(`/Customers/${lead}`))
  const endDate = '2027-02-10'
  const path = `/Customers/${lead}/end-contract?dryRun=true`
  const early = rejected(
    await partner.post(path as '/Customers/{id}/end-contract', { endDate }),
    422,
    'end_date_not_allowed',
  )
  assert.match(early.detail, /2027-03-01/)
  for (const api of [partner, operator]) {
    const ended = succeeded(
      await (api as Operator).post<Ended>(path, { endDate, sentOn: '2027-01-11', informedOn: '2027-01-20' }),
    )
    assert.equal(ended.contract.endedOn, endDate)
  }
  assert.equal(contract?.status, 'in_force')
})

test('sentOn is never before the acceptance, and informedOn never before sentOn or after today', async () => {
  const { lead } = await inForce()
  const wrong: [object, ...[string, string][]][] = [
    [{ sentOn: '2026-11-30' }, ['/sentOn', 'out_of_range']],
    [{ sentOn: '2026-12-02' }, ['/sentOn', 'out_of_range']],
    [{ informedOn: '2026-11-30' }, ['/informedOn', 'out_of_range']],
    [{ informedOn: '2026-12-02' }, ['/informedOn', 'out_of_range']],
    [{ sentOn: '2026-12-01', informedOn: '2026-11-30' }, ['/informedOn', 'out_of_range']],
  ]
  for (const [notice, ...fields] of wrong) {
    const problem = rejected(
      await operator.post(`/Customers/${lead}/cancel-contract`, notice),
      422,
      'validation_failed',
    )
    assert.deepEqual(invalidFields(problem), fields)
  }
})

test("a repeated key of the operator's changes nothing again and returns the same, with the card's secret", async () => {
  const { lead } = await inForce()
  const options = { headers: { 'Idempotency-Key': 'card-1' } }
  const path = `/Customers/${lead}/create-setup-intent`
  const [first, again] = [
    await operator.post<object>(path, { replace: true }, options),
    await operator.post<object>(path, { replace: true }, options),
  ]
  assert.deepEqual(succeeded(again), succeeded(first))
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
})
