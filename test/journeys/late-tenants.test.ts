import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { onboard, quoteStatus, startHousehold } from '../support/household.ts'
import { advanceClock, testTime } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { assertContains, contractRows, readContracts } from './documents.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

interface Payment {
  date: string
  amount: number
  description: string
  periodStart: string
  periodEnd: string
}
const payments = async (tenant: string): Promise<Payment[]> =>
  succeeded(await partner.get(`/Customers/${tenant}/payment-schedules`)).paymentSchedule.payments
const brief = (plan: Payment[]) => plan.map(({ date, periodStart, periodEnd }) => [date, periodStart, periodEnd])

test("tenants who accept late catch up two months at a time, to the penny, even after the contract's end", async () => {
  // A contract of six calendar months. Today is 1 December 2026.
  const { quoteId, tenants } = await startHousehold(partner, {
    tenants: 3,
    contractStartDate: '2027-01-01',
    contractEndDate: '2027-06-30',
  })
  const [prompt = '', late = '', latest = ''] = tenants
  const shares: Record<string, number> = {}
  for (const tenant of tenants) {
    const { monthlyCost, totalCost } = succeeded(await partner.get(`/Customers/${tenant}/total-cost`))
    shares[tenant] = totalCost
    assert.ok(Math.abs(totalCost - 6 * monthlyCost) <= 6)
  }

  await onboard(partner, prompt)
  assert.deepEqual(brief(await payments(prompt)), [
    ['2027-01-04', '2027-01-01', '2027-01-31'],
    ['2027-02-01', '2027-02-01', '2027-02-28'],
    ['2027-03-01', '2027-03-01', '2027-03-31'],
    ['2027-04-01', '2027-04-01', '2027-04-30'],
    ['2027-05-04', '2027-05-01', '2027-05-31'],
    ['2027-06-01', '2027-06-01', '2027-06-30'],
  ])

  // Onboarded on 11 March 2027. When the first payment is collected on 1 April, the billing months January to April have begun.
  await advanceClock(partner, { days: 100 })
  await onboard(partner, late)
  assert.deepEqual(brief(await payments(late)), [
    ['2027-04-01', '2027-01-01', '2027-02-28'],
    ['2027-05-04', '2027-03-01', '2027-04-30'],
    ['2027-06-01', '2027-05-01', '2027-06-30'],
  ])

  // 19 June 2027: all six months have begun, and three collections of two months each come after the contract's end.
  await advanceClock(partner, { days: 100 })
  assert.equal(await quoteStatus(partner, quoteId), 'active')
  await onboard(partner, latest)
  assert.deepEqual(brief(await payments(latest)), [
    ['2027-07-01', '2027-01-01', '2027-02-28'],
    ['2027-08-02', '2027-03-01', '2027-04-30'],
    ['2027-09-01', '2027-05-01', '2027-06-30'],
  ])
  assert.equal(await quoteStatus(partner, quoteId), 'completed')

  for (const tenant of tenants) {
    const plan = await payments(tenant)
    assert.equal(
      plan.reduce((sum, { amount }) => sum + amount, 0),
      shares[tenant],
    )
    assertContains(await readContracts(partner, tenant), contractRows([], plan))
  }
})

test('a tenant who accepts after the contract has ended still pays two months at a time', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1, packages: ['electricity'] })
  await advanceClock(partner, { days: 1 })
  succeeded(
    await partner.post(`/Customers/${lead}/finalise-personal-information`, {
      firstName: 'Very',
      lastName: 'Late',
      email: 'late@example.com',
      phone: '07700 900123',
      dateOfBirth: '1980-01-01',
    }),
  )
  succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  await advanceClock(partner, { days: 500 })
  const plan = await payments(lead)
  // A part month, eleven whole months and a final part month. The first part month is collected with the first two whole months.
  assert.equal(plan.length, 6)
  const { totalCost, monthlyCost } = succeeded(await partner.get(`/Customers/${lead}/total-cost`))
  assert.equal(
    plan.reduce((sum, { amount }) => sum + amount, 0),
    totalCost,
  )
  for (const { amount } of plan.slice(1, -1)) assert.equal(amount, 2 * monthlyCost)
})
