import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { onboard, quoteStatus, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, testTime } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { assertContains, contractRows, readContracts } from './documents.ts'

const service = await shareTestService({}, { startAt: testTime })

interface Payment {
  date: string
  amount: number
  description: string
  periodStart: string
  periodEnd: string
}
const brief = (plan: Payment[]) => plan.map(({ date, periodStart, periodEnd }) => [date, periodStart, periodEnd])
const sum = (plan: Payment[]) => plan.reduce((total, { amount }) => total + amount, 0)

test('tenants who accept on different days of the lock have plans of their own, to the penny', async () => {
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const payments = async (tenant: string): Promise<Payment[]> =>
    succeeded(await partner.get(`/Customers/${tenant}/payment-schedules`)).paymentSchedule.payments
  // A contract of six calendar months. Today is 1 December 2026; the lock ends on 15 December.
  const { quoteId, tenants } = await startHousehold(partner, {
    tenants: 3,
    contractStartDate: '2026-12-16',
    contractEndDate: '2027-06-15',
  })
  const [prompt = '', late = '', latest = ''] = tenants
  const shares = new Map<string, number>()
  for (const tenant of tenants)
    shares.set(tenant, succeeded(await partner.get(`/Customers/${tenant}/total-cost`)).totalCost)
  const supply = { supplyDuringCancellation: true }

  await onboard(partner, prompt, supply)
  const first = await payments(prompt)
  assert.deepEqual(brief(first)[0], ['2027-01-04', '2026-12-16', '2027-01-31'])
  await advanceClock(partner, { days: 7 })
  await onboard(partner, late, supply)
  await advanceClock(partner, { days: 6.9 })
  assert.equal(await quoteStatus(partner, quoteId), 'active')
  await onboard(partner, latest, supply)
  assert.equal(await quoteStatus(partner, quoteId), 'completed')
  assert.deepEqual(await payments(prompt), first, 'a plan does not change once its tenant has accepted')

  for (const tenant of tenants) {
    const plan = await payments(tenant)
    assert.equal(sum(plan), shares.get(tenant))
    assertContains(await readContracts(partner, tenant), contractRows([], plan))
  }
})

test('nobody accepts after the lock has ended, nor on the first day of the contract', async () => {
  const own = await connectNewPartner(service)
  const { tenants } = await startHousehold(own, { contractStartDate: '2026-12-10' })
  const [lead = '', second = ''] = tenants
  const supply = { supplyDuringCancellation: true }
  await onboard(own, lead, supply)
  // 10 December, 9:00.
  await advanceClock(own, { days: 9 })
  for (const tenant of [lead, second])
    assertProblem(await own.post(`/Customers/${tenant}/accept-terms`), 'quote_expired')
})
