import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows, readPaymentStatusHistory } from '../support/customer-fixtures.ts'
import { attachCard, finalise, onboard, startHousehold, startPaymentSetup } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import {
  advanceClock,
  createActiveQuote,
  createLeadOnboardedQuote,
  expire,
  getQuote,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

interface Told {
  type: string
  previousStatus: string | null
  status: string
  reason: string | null
}

/** The quote's events since the given one, in the order in which they happened, without those about payments. */
async function eventsOf(quoteId: string): Promise<Told[]> {
  const rows = await rawRows(
    service,
    `select type, data from events where quote_id = $1 and type <> 'customer.payment.updated' order by event_number`,
    [quoteId],
  )
  return rows.map(({ type, data }) => {
    const { previousStatus, status, reason } = data as Told
    return { type: String(type), previousStatus, status, reason }
  })
}

test('the first setup intent locks the quote for 14 days, but not past the day before the contract starts', async () => {
  for (const [start, until] of [
    [undefined, '2026-12-15T23:59:59.999Z'],
    ['2026-12-05', '2026-12-04T23:59:59.999Z'],
  ] as const) {
    const { quoteId, lead } = await startHousehold(partner, start === undefined ? {} : { contractStartDate: start })
    assert.equal((await getQuote(partner, quoteId)).lockedUntil, null)
    await startPaymentSetup(partner, lead)
    assert.equal((await getQuote(partner, quoteId)).lockedUntil, until, 'the whole day, as documents say')
  }
})

test('when the lock ends, every read shows the quote open and expired, and the tenants back at PersonalInfoComplete', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await createLeadOnboardedQuote(own)
  const { lockedUntil } = await getQuote(own, quoteId)
  await advanceClock(own, { days: 15 })
  const after = await getQuote(own, quoteId)
  assert.equal(after.status, 'TenantsAdded')
  assert.equal(after.lockedUntil, null)
  assert.equal(after.expiresAt, lockedUntil)
  assert.equal(after.tenants[0]?.status, 'PersonalInfoComplete')
  const customer = succeeded(await own.get(`/Customers/${lead}`))
  assert.equal(customer.status, 'PersonalInfoComplete')
  assert.equal(customer.contract?.status, 'lapsed')
  assert.equal(customer.contract?.endReason, 'lock_ended')
  const { data } = succeeded(await own.get('/Quotes?status=TenantsAdded'))
  assert.deepEqual(
    data.map((each) => [each.quoteId, each.status, each.expiresAt, each.lockedUntil]),
    [[quoteId, 'TenantsAdded', lockedUntil, null]],
  )
  assert.deepEqual(succeeded(await own.get('/Quotes?status=active')).data, [])
})

test('when the lock has ended, every read shows an unfinished payment setup as not started, and the first write reports it once', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await startHousehold(own, { tenants: 1 })
  await startPaymentSetup(own, lead)
  await advanceClock(own, { days: 15 })
  const statuses = async () => [
    succeeded(await own.get(`/Customers/${lead}`)).paymentStatus,
    succeeded(await own.get(`/Customers?quoteId=${quoteId}`)).data[0]?.paymentStatus,
  ]
  assert.deepEqual(await statuses(), ['not_started', 'not_started'])
  succeeded(await finalise(own, lead))
  assert.deepEqual(await statuses(), ['not_started', 'not_started'])
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'not_started'])
})

test('the first write after the lock ended records it, customer by customer and then the quote, each with its reason', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await createLeadOnboardedQuote(own)
  await advanceClock(own, { days: 15 })
  const { length } = await eventsOf(quoteId)
  succeeded(await finalise(own, lead))
  assert.deepEqual((await eventsOf(quoteId)).slice(length), [
    { type: 'customer.contract.changed', previousStatus: 'agreed', status: 'lapsed', reason: 'lock_ended' },
    {
      type: 'customer.status.changed',
      previousStatus: 'OnboardingComplete',
      status: 'PersonalInfoComplete',
      reason: 'lock_ended',
    },
    { type: 'quote.status.changed', previousStatus: 'active', status: 'TenantsAdded', reason: 'lock_ended' },
  ])
})

test('a rejected write after the lock ended records nothing', async () => {
  const own = await connectNewPartner(service)
  const { quoteId } = await createActiveQuote(own)
  await advanceClock(own, { days: 15 })
  const before = await eventsOf(quoteId)
  assertProblem(await own.post(`/Quotes/${quoteId}/add-packages`, { packageIds: ['gas-standard'] }), 'quote_expired')
  assert.deepEqual(await eventsOf(quoteId), before)
})

test('after the lock ended and the quote was priced again, tenants with a card accept again without setting up payment', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, tenants } = await createLeadOnboardedQuote(own)
  const [lead = '', second = ''] = tenants
  const [first] = succeeded(await own.get(`/Customers/${lead}/contracts`)).contracts
  await advanceClock(own, { days: 15 })
  assert.equal((await totalCost(own, quoteId)).QuotePricesUpdated, true)
  succeeded(await own.post(`/Customers/${lead}/accept-terms`))
  const relocked = await getQuote(own, quoteId)
  assert.equal(relocked.status, 'active')
  assert.equal(relocked.lockedUntil?.slice(0, 10), '2026-12-30')
  await onboard(own, second)
  assert.equal((await getQuote(own, quoteId)).status, 'completed')
  const { contracts } = succeeded(await own.get(`/Customers/${lead}/contracts`))
  assert.deepEqual(
    contracts.map(({ status }) => status),
    ['in_force', 'lapsed'],
  )
  assert.notEqual(contracts[0]?.contractNumber, first?.contractNumber)
  const { contractUrl } = succeeded(
    await own.get(`/Customers/${lead}/pci-contract-url-html?contractNumber=${first?.contractNumber}`),
  )
  assert.equal((await fetch(contractUrl)).status, 200)
})

test('payment setup after the lock ended never reuses an unfinished intent', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await startHousehold(own, { tenants: 1 })
  const stale = await startPaymentSetup(own, lead)
  await expire(own, quoteId)
  await totalCost(own, quoteId)
  const fresh = await attachCard(own, lead)
  assert.notEqual(fresh, stale)
  succeeded(await own.post(`/Customers/${lead}/accept-terms`))
  assert.equal((await getQuote(own, quoteId)).status, 'completed')
})

test('a completed quote keeps no lock and stays completed', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await startHousehold(own, { tenants: 1 })
  await onboard(own, lead)
  await advanceClock(own, { days: 200 })
  const { status, lockedUntil } = await getQuote(own, quoteId)
  assert.deepEqual([status, lockedUntil], ['completed', null])
})

test('when supply would start within the cancellation period, a tenant can only accept after asking for it', async () => {
  const { tenants } = await startHousehold(partner, { tenants: 1, contractStartDate: '2026-12-29' })
  const [lead = ''] = tenants
  assert.deepEqual(succeeded(await finalise(partner, lead)).warnings, ['supply_request_required'])
  const schedule = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))
  assert.deepEqual(schedule.warnings, ['supply_request_required'])
  await attachCard(partner, lead)
  const problem = rejected(await partner.post(`/Customers/${lead}/accept-terms`), 422, 'supply_request_required')
  assert.match(problem.detail, /supplyDuringCancellation: true/)
  assert.match(problem.detail, /later contractStartDate/)
  assert.deepEqual(succeeded(await finalise(partner, lead, { supplyDuringCancellation: true })).warnings, [])
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
  const { lead: later } = await startHousehold(partner, { tenants: 1, contractStartDate: '2026-12-30' })
  assert.deepEqual(succeeded(await finalise(partner, later)).warnings, [], 'after the lock and the 14 days')
})

test('a quote with the default dates never needs a request for supply, however late its tenants set up payment', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await startHousehold(own, { tenants: 1 })
  assert.equal((await getQuote(own, quoteId)).contractStartDate, '2027-01-13')
  await advanceClock(own, { days: 13 })
  assert.deepEqual(succeeded(await finalise(own, lead)).warnings, [])
  await attachCard(own, lead)
  await advanceClock(own, { days: 13 })
  succeeded(await own.post(`/Customers/${lead}/accept-terms`))
})
