import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createLeadOnboardedQuote, getQuote, testTime } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const cancel = (customerId: string, body?: object, own: Partner = partner) =>
  own.post(`/Customers/${customerId}/cancel-contract`, body)

async function inForce(own: Partner, more: { contractStartDate?: string; tenants?: number } = {}) {
  const household = await startHousehold(own, { tenants: 1, ...more })
  for (const tenant of household.tenants) await onboard(own, tenant, { supplyDuringCancellation: true })
  return household
}

test('a contract in force can be cancelled until the end of the 14th day: nothing is owed, and the quote stays completed', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await inForce(own)
  const { contract } = succeeded(await own.get(`/Customers/${lead}`))
  assert.equal(contract?.cancellableUntil, '2026-12-15T23:59:59.999Z')
  await advanceClock(own, { days: 14 })
  const cancelled = succeeded(await cancel(lead, { comment: 'They move abroad.' }, own))
  assert.deepEqual(
    [cancelled.contract.status, cancelled.contract.endReason, cancelled.contract.endedOn],
    ['cancelled', 'cancelled', '2026-12-15'],
  )
  assert.deepEqual(cancelled.finalStatement, {
    supplyCost: 0,
    setupCost: 0,
    exitFee: 0,
    exitFeeVat: 0,
    priceReduction: 0,
    totalCost: 0,
    alreadyPaid: 0,
    waivedAmount: 0,
    owedAgainAmount: 0,
    lateFeeAmount: 0,
    refundAmount: 0,
    refundBy: null,
    amountDue: 0,
    lastPayment: null,
    exitFeePayment: null,
  })
  assert.equal((await getQuote(own, quoteId)).status, 'completed')
  const customer = succeeded(await own.get(`/Customers/${lead}`))
  assert.deepEqual([customer.status, customer.contract?.status], ['OnboardingComplete', 'cancelled'])
})

test('a day later the contract can no longer be cancelled, unless the tenant gave notice in time', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own)
  await advanceClock(own, { days: 15 })
  const problem = rejected(await cancel(lead, undefined, own), 422, 'contract_not_cancellable')
  assert.match(problem.detail, /2026-12-15/)
  assert.match(problem.detail, /end-contract/)
  const { contract } = succeeded(await cancel(lead, { informedOn: '2026-12-15' }, own))
  assert.equal(contract.status, 'cancelled')
})

test('a tenant who asked for early supply pays for the days supplied, with set-up in proportion', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own, { contractStartDate: '2026-12-03' })
  const { totalCost } = succeeded(await own.get(`/Customers/${lead}/total-cost`))
  await advanceClock(own, { days: 11 })
  const { finalStatement } = succeeded(await cancel(lead, undefined, own))
  // 3 to 12 December, of a year.
  assert.equal(finalStatement.supplyCost, Math.round((totalCost * 10) / 365))
  assert.equal(finalStatement.amountDue, finalStatement.totalCost)
  assert.equal(finalStatement.lastPayment?.amount, finalStatement.amountDue)
  const { paymentSchedule } = succeeded(await own.get(`/Customers/${lead}/payment-schedules`))
  assert.deepEqual(
    paymentSchedule.payments.map(({ date, amount }) => ({ date, amount })),
    [finalStatement.lastPayment],
  )
})

test('before every tenant has accepted, a tenant withdraws at any time, owes nothing and can accept again', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead, tenants } = await createLeadOnboardedQuote(own)
  const [, second = ''] = tenants
  const { contract, finalStatement } = succeeded(await cancel(lead, undefined, own))
  assert.deepEqual([contract.status, contract.endReason, finalStatement.totalCost], ['cancelled', 'withdrawn', 0])
  assert.equal(succeeded(await own.get(`/Customers/${lead}`)).status, 'PersonalInfoComplete')
  assert.equal((await getQuote(own, quoteId)).status, 'active')
  succeeded(await own.post(`/Customers/${lead}/accept-terms`))
  await onboard(own, second)
  assert.equal((await getQuote(own, quoteId)).status, 'completed')
  const rows = await rawRows(
    service,
    `select type, data ->> 'status' as status, data ->> 'reason' as reason from events
      where quote_id = $1 and data ->> 'reason' = 'withdrawn' order by event_number`,
    [quoteId],
  )
  assert.deepEqual(rows, [
    { type: 'customer.contract.changed', status: 'cancelled', reason: 'withdrawn' },
    { type: 'customer.status.changed', status: 'PersonalInfoComplete', reason: 'withdrawn' },
  ])
})

test('a dry run shows what would be owed and paid back, changes nothing, and rejects what the call would reject', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own, { contractStartDate: '2026-12-03' })
  const { amount } = succeeded(await own.post(`/Sandbox/customers/${lead}/collect`))
  await advanceClock(own, { days: 11 })
  const read = () =>
    Promise.all(['', '/payment-schedules', '/contracts'].map((rest) => own.get(`/Customers/${lead}${rest}`)))
  const before = (await read()).map(({ text }) => text)
  const path = `/Customers/${lead}/cancel-contract?dryRun=true` as const
  const dry = succeeded(await own.post(path))
  assert.deepEqual([dry.contract.status, dry.finalStatement.exitFee], ['cancelled', 0])
  assert.equal(dry.finalStatement.refundAmount, amount - dry.finalStatement.totalCost)
  assert.deepEqual(
    (await read()).map(({ text }) => text),
    before,
  )
  assert.deepEqual(
    await rawRows(service, `select from tenant_mails where customer_id = $1 and kind = 'contract_ending'`, [lead]),
    [],
  )
  assert.deepEqual(succeeded(await cancel(lead, undefined, own)), dry)
  rejected(await own.post(path), 422, 'contract_not_in_force')
})

test('the comment is stored encrypted', async () => {
  const { lead } = await inForce(partner)
  succeeded(await cancel(lead, { comment: 'Because of an illness' }))
  const rows = await rawRows(service, 'select * from contracts where customer_id = $1', [lead])
  assert.equal(JSON.stringify(rows).includes('illness'), false)
})

test('when the lead tenant leaves a completed quote, the next tenant in force becomes the primary contact; the lead stays the lead', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead, tenants } = await inForce(own, { tenants: 3 })
  const [, second = '', third = ''] = tenants
  const contact = async () => {
    const { leadTenantId, primaryContact } = await getQuote(own, quoteId)
    const { data } = succeeded(await own.get('/Quotes'))
    assert.equal(data[0]?.primaryContact, primaryContact)
    assert.equal(leadTenantId, lead)
    return primaryContact
  }
  assert.equal(await contact(), lead)
  succeeded(await cancel(lead, undefined, own))
  assert.equal(await contact(), second)
  succeeded(await cancel(third, undefined, own))
  assert.equal(await contact(), second)
  succeeded(await cancel(second, undefined, own))
  assert.equal(await contact(), null)
})

test('after a cancellation nothing is planned or collected, and the schedule shows the refund, due 14 days after the notice, until it is made', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own)
  const schedule = async () => succeeded(await own.get(`/Customers/${lead}/payment-schedules`)).paymentSchedule
  const collect = (body: object) => own.post(`/Sandbox/customers/${lead}/collect`, body)
  const { amount } = succeeded(await collect({ outcome: 'paid' }))
  const { finalStatement } = succeeded(await cancel(lead, { informedOn: '2026-12-01' }, own))
  const { alreadyPaid, refundAmount, refundBy, totalCost } = finalStatement
  assert.deepEqual([alreadyPaid, refundAmount, refundBy, totalCost], [amount, amount, '2026-12-15', 0])
  const { payments, refund } = await schedule()
  assert.equal(
    payments.reduce((sum, payment) => sum + payment.amount, 0),
    amount,
  )
  assert.equal(refund?.amount, amount)
  rejected(await collect({}), 422, 'validation_failed')
  succeeded(await collect({ outcome: 'refunded' }))
  assert.equal((await schedule()).refund, null)
})

test('a tenant whose contract in force was cancelled cannot accept again', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own)
  succeeded(await cancel(lead, undefined, own))
  const problem = rejected(await own.post(`/Customers/${lead}/accept-terms`), 422, 'already_onboarded')
  assert.match(problem.detail, /Create a new quote/)
})
