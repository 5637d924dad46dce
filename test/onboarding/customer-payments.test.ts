import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createCompletedQuote, testTime } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
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

test("an unknown customer and another partner's return 404", async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  const other = await connectNewPartner(service)
  rejected(await other.get(`/Customers/${lead}/payments`), 404, 'not_found')
  rejected(await partner.get('/Customers/tenant_unknown/payments'), 404, 'not_found')
})
