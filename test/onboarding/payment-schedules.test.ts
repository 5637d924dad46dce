import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { finalise, type HouseholdOptions, onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createCompletedQuote, testTime } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

// Today is 1 December 2026. Here, contracts run from 15 December 2026 to 14 December 2027 unless a test says otherwise.
const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

interface Payment {
  date: string
  amount: number
  kind: string
  periodStart: string
  periodEnd: string
  description: string
}
interface Schedule {
  monthlyAmount: number
  setupAmount: number
  billingCycle: string
  nextPaymentDate: string
  payments: Payment[]
}

async function schedule(customerId: string, own = partner): Promise<Schedule> {
  const { paymentSchedule, ...rest } = succeeded(await own.get(`/Customers/${customerId}/payment-schedules`))
  const { monthlyAmount, setupAmount } = paymentSchedule
  assert.deepEqual(rest, { customerId, monthlyAmount, setupAmount, warnings: [], warningDetails: [] })
  return paymentSchedule
}
const supply = { supplyDuringCancellation: true }
/** A household whose tenants have all given their details and asked for supply to begin on the first day. */
async function readyHousehold(options: HouseholdOptions = {}, own: Partner = partner) {
  const household = await startHousehold(own, { tenants: 1, contractStartDate: '2026-12-15', ...options })
  for (const tenant of household.tenants) succeeded(await finalise(own, tenant, supply))
  return household
}
const sum = (payments: Payment[]) => payments.reduce((total, { amount }) => total + amount, 0)

test("a schedule shows the customer's monthly cost and set-up fee, and its payments add up to their total cost", async () => {
  const { tenants } = await readyHousehold({
    tenants: 3,
    packages: ['electricity', 'gas', 'broadband'],
    products: ['fibre-150'],
  })
  for (const tenant of tenants) {
    const cost = succeeded(await partner.get(`/Customers/${tenant}/total-cost`))
    const { monthlyAmount, setupAmount, billingCycle, nextPaymentDate, payments } = await schedule(tenant)
    assert.deepEqual([monthlyAmount, setupAmount], [cost.monthlyCost, cost.setupCost])
    assert.equal(billingCycle, 'monthly')
    assert.equal(nextPaymentDate, payments[0]?.date)
    assert.equal(sum(payments), cost.totalCost)
    assert.deepEqual(
      payments.map(({ kind }) => kind),
      ['first', ...payments.slice(2).map(() => 'monthly'), 'last'],
    )
    for (const { amount, description } of payments) assert.ok(amount > 0 && description.length > 5)
  }
})

test("a schedule in Scotland follows Scotland's bank holidays", async () => {
  const { lead } = await readyHousehold({ postcode: 'TE5 7AA', home: 'Scotland' })
  const dates = (await schedule(lead)).payments.map(({ date }) => date)
  // Scottish holidays are 1 January, 4 January (for Saturday the 2nd) and 2 August.
  assert.equal(dates[0], '2027-01-05')
  assert.ok(dates.includes('2027-08-03'))
})

test('a schedule requested ten days before a billing date starts on that date; one a day later starts a month later', async () => {
  const own = await connectNewPartner(service)
  await advanceClock(own, { days: 15 })
  const [prompt, late] = [
    await readyHousehold({ contractStartDate: '2026-12-30' }, own),
    await readyHousehold({ contractStartDate: '2026-12-30' }, own),
  ]
  await advanceClock(own, { days: 6 })
  assert.equal((await schedule(prompt.lead, own)).nextPaymentDate, '2027-01-04')
  await advanceClock(own, { days: 1 })
  assert.equal((await schedule(late.lead, own)).nextPaymentDate, '2027-02-01')
  assert.equal((await schedule(prompt.lead, own)).nextPaymentDate, '2027-01-04', 'a plan that was shown stands')
})

test('a schedule depends on the current day until the tenant accepts the terms; from then on it is fixed', async () => {
  const own = await connectNewPartner(service)
  await advanceClock(own, { days: 19 })
  const term = { contractStartDate: '2027-01-01', contractEndDate: '2027-12-31' }
  const early = await readyHousehold(term, own)
  const { lead } = await readyHousehold(term, own)
  const atOnce = await schedule(early.lead, own)
  assert.deepEqual(
    [atOnce.payments.length, atOnce.nextPaymentDate, atOnce.payments[0]?.amount],
    [12, '2027-01-04', atOnce.monthlyAmount],
  )
  succeeded(await own.post(`/Customers/${lead}/create-setup-intent`))
  await advanceClock(own, { days: 4 })
  const late = await schedule(lead, own)
  assert.deepEqual(
    [late.payments.length, late.nextPaymentDate, late.payments[0]?.amount],
    [11, '2027-02-01', 2 * late.monthlyAmount],
  )
  await onboard(own, lead, supply)
  assert.deepEqual(await schedule(lead, own), late)
  await advanceClock(own, { days: 39 })
  const onTheFirst = await schedule(lead, own)
  assert.deepEqual(onTheFirst.payments, late.payments)
  // On the day it is due, a payment still counts as the next payment.
  assert.equal(onTheFirst.nextPaymentDate, '2027-02-01')
  await advanceClock(own, { days: 1 })
  assert.equal((await schedule(lead, own)).nextPaymentDate, '2027-03-01')
  await advanceClock(own, { days: 600 })
  assert.equal((await schedule(lead, own)).nextPaymentDate, late.payments.at(-1)?.date)
})

const payments = async (customerId: string) =>
  succeeded(await partner.get(`/Customers/${customerId}/payments`)).payments

test('before acceptance there are no payments; then they are the plan of the schedule', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  assert.deepEqual(await payments(lead), [])
  const { contract } = await onboard(partner, lead)
  const { paymentSchedule } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))
  const unpaid = { paidAt: null, paidAmount: 0, refundedAmount: 0 }
  const untouched = { kind: 'plan', refundKind: null, status: 'planned', ...unpaid }
  assert.deepEqual(
    await payments(lead),
    paymentSchedule.payments.map(({ date, amount, description }) => ({
      ...{ contractNumber: contract.contractNumber, date, amount, description },
      ...untouched,
    })),
  )
})

test('a payment that was collected says when and how much, one that failed stays due, and a refund is listed', async () => {
  const { lead } = await createCompletedQuote(partner)
  succeeded(await partner.post(`/Sandbox/customers/${lead}/collect`))
  succeeded(await partner.post(`/Sandbox/customers/${lead}/collect`, { outcome: 'failed' }))
  const [first, second] = await payments(lead)
  assert.ok(first && second)
  assert.deepEqual(
    [first.status, first.paidAmount, second.status, second.paidAmount],
    ['paid', first.amount, 'failed', 0],
  )
  assert.ok(Date.parse(first.paidAt ?? '') > 0)
  const { finalStatement } = succeeded(await partner.post(`/Customers/${lead}/cancel-contract`))
  const left = await payments(lead)
  assert.deepEqual(left.map(({ kind, status, amount, paidAmount }) => [kind, status, amount, paidAmount]).sort(), [
    ['plan', 'paid', first.amount, first.amount],
    ['refund', 'planned', finalStatement.refundAmount, 0],
  ])
})
