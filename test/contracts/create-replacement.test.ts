import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { attachCard, finalise, sampleTenants, startPaymentSetup } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import {
  advanceClock,
  createCompletedQuote,
  createLeadOnboardedQuote,
  getQuote,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import { join, plannedSum, startReplacement } from '../support/replacements.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const newcomer = { name: 'Jo Joiner', email: 'jo.joiner@example.com', from: '2027-03-01' }
const ask = (customerId: string, changes: object = {}, own: Partner = partner) =>
  own.post(`/Customers/${customerId}/replacements`, { ...newcomer, ...changes })
const share = async (customerId: string, own: Partner = partner) =>
  succeeded(await own.get(`/Customers/${customerId}/total-cost`))
const customer = async (customerId: string, own: Partner = partner) =>
  succeeded(await own.get(`/Customers/${customerId}`))

test('a replacement adds a tenant with the usual steps ahead, and changes nothing for the tenant who leaves', async () => {
  const { quoteId, lead } = await createCompletedQuote(partner, { tenants: 2 })
  const before = await customer(lead)
  const { customerId, replaces, from } = succeeded(await ask(lead))
  assert.deepEqual([replaces, from], [lead, '2027-03-01'])
  assert.deepEqual(await customer(lead), before)
  const { status, tenants } = await getQuote(partner, quoteId)
  assert.equal(status, 'completed')
  assert.equal(tenants[2]?.tenantId, customerId)
  assert.deepEqual(
    tenants.map(({ status, replaces, joinsOn, leavesOn }) => [status, replaces, joinsOn, leavesOn]),
    [
      ['OnboardingComplete', null, null, null],
      ['OnboardingComplete', null, null, null],
      ['active', lead, '2027-03-01', null],
    ],
  )
})

test('when the joiner accepts, the leaver’s contract ends the day before without a fee, and the two plans are the share to the penny', async () => {
  const { quoteId, leaver, joiner } = await startReplacement(partner, { tenants: 3 })
  const whole = await share(leaver)
  const rest = await share(joiner)
  assert.deepEqual([rest.monthlyCost, rest.weeklyCost], [whole.monthlyCost, whole.weeklyCost])
  const { contract, status } = await join(partner, joiner)
  assert.deepEqual(
    [status, contract?.status, contract?.startsOn, contract?.endsOn],
    ['OnboardingComplete', 'in_force', '2027-03-01', '2028-01-12'],
  )
  const left = (await customer(leaver)).contract
  assert.deepEqual([left?.status, left?.endedOn, left?.endReason], ['in_force', '2027-02-28', 'replaced'])
  assert.equal((await plannedSum(partner, leaver)) + (await plannedSum(partner, joiner)), whole.totalCost)
  assert.equal(await plannedSum(partner, joiner), rest.totalCost)
  const { tenants, leadTenantId, primaryContact } = await getQuote(partner, quoteId)
  assert.deepEqual([leadTenantId, primaryContact], [leaver, leaver])
  assert.deepEqual(
    tenants.map(({ joinsOn, leavesOn }) => [joinsOn, leavesOn]),
    [
      [null, '2027-02-28'],
      [null, null],
      [null, null],
      ['2027-03-01', null],
    ],
  )
  const announced = await rawRows(
    service,
    `select data ->> 'customerId' as customer, data ->> 'endsOn' as "endsOn" from events
      where quote_id = $1 and type = 'customer.contract.ending'`,
    [quoteId],
  )
  assert.deepEqual(announced, [{ customer: leaver, endsOn: '2027-02-28' }])
})

test('a dry run adds nobody and shows to the penny what each pays, also for a share that is taken over again', async () => {
  const { quoteId, leaver, joiner } = await startReplacement(partner)
  await join(partner, joiner)
  succeeded(await partner.post(`/Sandbox/customers/${joiner}/collect`))
  const whole = await share(joiner)
  const before = [await getQuote(partner, quoteId), await customer(joiner)]
  const body = { ...newcomer, email: 'another@example.com', from: '2027-07-19' }
  const path = `/Customers/${joiner}/replacements?dryRun=true` as const
  const dry = succeeded(await partner.post(path, body))
  assert.deepEqual([dry.customerId, dry.quoteId, dry.replaces, dry.from], [null, quoteId, joiner, '2027-07-19'])
  assert.deepEqual([await getQuote(partner, quoteId), await customer(joiner)], before)
  const { contract, finalStatement } = dry.leaver
  assert.deepEqual([contract.status, contract.endedOn, contract.endReason], ['in_force', '2027-07-18', 'replaced'])
  assert.equal(finalStatement.totalCost + dry.joiner.totalCost, whole.totalCost)
  assert.ok(finalStatement.alreadyPaid > 0)
  assertProblem(await partner.post(path, { ...body, email: `${leaver}@example.com` }), 'duplicate_tenant', [
    '/email duplicate_tenant',
  ])

  const real = succeeded(await partner.post(`/Customers/${joiner}/replacements`, body))
  assert.deepEqual([real.leaver, real.joiner], [dry.leaver, dry.joiner])
  rejected(await partner.post(path, { ...body, email: 'one.more@example.com' }), 422, 'replacement_open')
  const last = real.customerId ?? ''
  assert.equal((await share(last)).monthlyCost, dry.joiner.monthlyCost)
  const accepted = await join(partner, last)
  const { startsOn, endsOn, payments, totalCost: total } = dry.joiner
  assert.deepEqual([accepted.contract?.startsOn, accepted.contract?.endsOn], [startsOn, endsOn])
  const schedule = succeeded(await partner.get(`/Customers/${last}/payment-schedules`)).paymentSchedule
  assert.deepEqual(schedule.payments, payments)
  assert.equal(await plannedSum(partner, last), total)
  const left = succeeded(await partner.get(`/Customers/${joiner}/payment-schedules`)).paymentSchedule
  const toCome = left.payments.filter(({ status }) => status === 'planned').reduce((sum, { amount }) => sum + amount, 0)
  assert.deepEqual([toCome, left.refund?.amount ?? 0], [finalStatement.amountDue, finalStatement.refundAmount])
})

test('a dry run for the first day of the contract shows that it would end at once and cost nothing', async () => {
  const { lead } = await createCompletedQuote(partner)
  const path = `/Customers/${lead}/replacements?dryRun=true` as const
  const { leaver, joiner } = succeeded(await partner.post(path, { ...newcomer, from: '2027-01-13' }))
  assert.deepEqual([leaver.contract.status, leaver.finalStatement.totalCost], ['ended', 0])
  assert.deepEqual([joiner.startsOn, joiner.totalCost], ['2027-01-13', (await share(lead)).totalCost])
  rejected(await partner.post(path, { ...newcomer, from: '2027-01-12' }), 422, 'replacement_not_possible')
})

test('the quote keeps the price that the household agreed to, whatever the joiner does', async () => {
  const { quoteId, joiner } = await startReplacement(partner)
  const before = await totalCost(partner, quoteId)
  await join(partner, joiner)
  succeeded(await partner.post(`/Customers/${joiner}/create-setup-intent`))
  assert.deepEqual(await totalCost(partner, quoteId), before)
})

test('payments that the leaver made count, and what they paid too much is refunded', async () => {
  const { leaver, joiner } = await startReplacement(partner, { from: '2027-01-20' })
  const whole = await share(leaver)
  for (let count = 0; count < 2; count++) succeeded(await partner.post(`/Sandbox/customers/${leaver}/collect`))
  await join(partner, joiner)
  const { paymentSchedule } = succeeded(await partner.get(`/Customers/${leaver}/payment-schedules`))
  const refund = paymentSchedule.refund?.amount ?? 0
  assert.ok(refund > 0)
  const leavers = (await plannedSum(partner, leaver)) - refund
  assert.equal(leavers + (await plannedSum(partner, joiner)), whole.totalCost)
  const { finalStatement } = succeeded(await partner.post(`/Customers/${leaver}/cancel-contract`))
  assert.equal(finalStatement.totalCost, 0)
  assert.ok(finalStatement.refundAmount > 0)
  assert.equal(await plannedSum(partner, joiner), (await share(joiner)).totalCost)
})

test('an acceptance on or after the day that was asked for moves it to the next day', async () => {
  const own = await connectNewPartner(service)
  const { leaver, joiner } = await startReplacement(own, { from: '2027-01-20' })
  const whole = await share(leaver, own)
  await advanceClock(own, { days: 60 })
  const { contract } = await join(own, joiner)
  assert.equal(contract?.startsOn, '2027-01-31')
  assert.equal((await customer(leaver, own)).contract?.endedOn, '2027-01-30')
  assert.equal((await plannedSum(own, leaver)) + (await plannedSum(own, joiner)), whole.totalCost)
})

test('what was shown for an earlier first day is no longer agreed to: the joiner is shown the new terms first', async () => {
  const own = await connectNewPartner(service)
  const { joiner } = await startReplacement(own, { from: '2027-01-20' })
  succeeded(await finalise(own, joiner, { supplyDuringCancellation: true }))
  await attachCard(own, joiner)
  const { documentHash } = succeeded(await own.get(`/Customers/${joiner}/pci-preview-url-html`))
  await advanceClock(own, { days: 60 })
  const accept = (body?: object) => own.post(`/Customers/${joiner}/accept-terms`, body)
  assert.match(rejected(await accept({ documentHash }), 422, 'terms_changed').detail, /the first day/)
  rejected(await accept(), 422, 'terms_changed')
  succeeded(await own.get(`/Customers/${joiner}/pci-preview-url-html`))
  succeeded(await accept())
})

test('a joiner whose supply would begin within 14 days must ask for it', async () => {
  const own = await connectNewPartner(service)
  const { joiner } = await startReplacement(own, { from: '2027-01-20' })
  const { warnings } = succeeded(await finalise(own, joiner))
  assert.deepEqual(warnings, [])
  await attachCard(own, joiner)
  await advanceClock(own, { days: 37 })
  const schedule = succeeded(await own.get(`/Customers/${joiner}/payment-schedules`))
  assert.deepEqual(schedule.warnings, ['supply_request_required'])
  const problem = rejected(await own.post(`/Customers/${joiner}/accept-terms`), 422, 'supply_request_required')
  assert.match(problem.detail, /withdraw the replacement/)
  succeeded(await finalise(own, joiner, { supplyDuringCancellation: true }))
  succeeded(await own.post(`/Customers/${joiner}/accept-terms`))
})

test('a joiner who cancels in time owes nothing for what is left, and the leaver does not come back', async () => {
  const { leaver, joiner } = await startReplacement(partner)
  await join(partner, joiner)
  const { contract, finalStatement } = succeeded(await partner.post(`/Customers/${joiner}/cancel-contract`))
  assert.deepEqual([contract.status, finalStatement.totalCost], ['cancelled', 0])
  assert.equal((await customer(leaver)).contract?.endReason, 'replaced')
  rejected(await ask(leaver), 422, 'replacement_not_possible')
})

test('a tenant who gave notice can still be replaced, without the fee', async () => {
  const { leaver, joiner } = await startReplacement(partner)
  const { finalStatement } = succeeded(
    await partner.post(`/Customers/${leaver}/end-contract`, { endDate: '2027-06-30' }),
  )
  assert.ok(finalStatement.exitFee > 0)
  const whole = await share(leaver)
  await join(partner, joiner)
  const left = (await customer(leaver)).contract
  assert.deepEqual([left?.endedOn, left?.endReason], ['2027-02-28', 'replaced'])
  assert.equal((await plannedSum(partner, leaver)) + (await plannedSum(partner, joiner)), whole.totalCost)
})

test('when the leaver’s contract is cancelled first, the joiner can no longer take it over', async () => {
  const { leaver, joiner } = await startReplacement(partner)
  succeeded(await finalise(partner, joiner))
  succeeded(await partner.post(`/Customers/${leaver}/cancel-contract`))
  for (const step of ['payment-schedules', 'pci-preview-url-html'])
    rejected(await partner.get(`/Customers/${joiner}/${step}`), 422, 'replacement_not_possible')
  const problem = rejected(
    await partner.post(`/Customers/${joiner}/create-setup-intent`),
    422,
    'replacement_not_possible',
  )
  assert.match(problem.detail, /withdraw-replacement/)
  assert.equal((await customer(joiner)).status, 'PersonalInfoComplete')
  succeeded(await partner.post(`/Customers/${leaver}/withdraw-replacement`))
})

test('the days of a replacement lie within the contract, tomorrow at the earliest', async () => {
  const { lead } = await createCompletedQuote(partner)
  for (const from of ['2026-12-01', '2027-01-12', '2028-01-12', '2030-01-01'])
    assertProblem(await ask(lead, { from }), 'replacement_not_possible', ['/from replacement_not_possible'])
  succeeded(await ask(lead, { from: '2028-01-11' }))
})

test('a customer has one replacement at a time, and everybody a different email address', async () => {
  const { lead, tenants } = await createCompletedQuote(partner, { tenants: sampleTenants(2) })
  assertProblem(await ask(lead, { email: `${lead}@EXAMPLE.com` }), 'duplicate_tenant', ['/email duplicate_tenant'])
  succeeded(await ask(lead))
  const open = rejected(await ask(lead, { email: 'other@example.com' }), 422, 'replacement_open')
  assert.match(open.detail, /tenant_.*withdraw-replacement/)
  assertProblem(await ask(tenants[1] ?? ''), 'duplicate_tenant', ['/email duplicate_tenant'])
})

test('before every tenant has accepted there is no contract that could be taken over', async () => {
  const { lead, tenants } = await createLeadOnboardedQuote(partner)
  const problem = rejected(await ask(lead), 422, 'replacement_not_possible')
  assert.match(problem.detail, /reopen/)
  rejected(await ask(tenants[1] ?? ''), 422, 'replacement_not_possible')
})

test('GET quote and the joiner’s own views show the same first day once the day that was asked for has come', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, joiner } = await startReplacement(own, { from: '2027-01-20' })
  await advanceClock(own, { days: 50 })
  const { tenants } = await getQuote(own, quoteId)
  assert.equal(tenants.find(({ tenantId }) => tenantId === joiner)?.joinsOn, '2027-01-21')
  assert.equal((await customer(joiner, own)).services[0]?.startDate, '2027-01-21')
})

test('VAT in what is left of a share is that of its days', async () => {
  const { joiner } = await startReplacement(partner, { from: '2028-01-02', packages: ['electricity'], tenants: 1 })
  const { totalCost, totalVat } = await share(joiner)
  assert.equal(totalVat, Math.round(totalCost / 21))
})

test('an erased joiner still waits, until the replacement is withdrawn', async () => {
  const { quoteId, leaver, joiner } = await startReplacement(partner)
  succeeded(await partner.post(`/Customers/${joiner}/erase`))
  assert.match(rejected(await finalise(partner, joiner), 422, 'customer_erased').detail, /withdraw-replacement/)
  rejected(await ask(leaver), 422, 'replacement_open')
  succeeded(await withdraw(leaver))
  assert.equal((await getQuote(partner, quoteId)).tenants.length, 1)
  succeeded(await ask(leaver))
})

test('the export of a joiner shows the quote as it is, and their own share', async () => {
  const { joiner } = await startReplacement(partner)
  const { quote, cost } = succeeded(await partner.get(`/Customers/${joiner}/export`))
  assert.deepEqual([quote.status, quote.contractStartDate], ['completed', '2027-01-13'])
  assert.equal(cost?.totalCost, (await share(joiner)).totalCost)
})

const withdraw = (customerId: string) => partner.post(`/Customers/${customerId}/withdraw-replacement`)

test('a replacement that is not accepted is withdrawn: the joiner is gone, and the contract goes on', async () => {
  const { quoteId, leaver, joiner } = await startReplacement(partner)
  await startPaymentSetup(partner, joiner)
  const before = succeeded(await partner.get(`/Customers/${leaver}`))
  assert.deepEqual(succeeded(await withdraw(leaver)), { customerId: leaver, withdrawn: joiner })
  rejected(await partner.get(`/Customers/${joiner}`), 404, 'not_found')
  assert.deepEqual(succeeded(await partner.get(`/Customers/${leaver}`)), before)
  assert.equal((await getQuote(partner, quoteId)).tenants.length, 1)
})

test('a replacement that is accepted cannot be withdrawn, and neither can one that does not exist', async () => {
  const { leaver, joiner } = await startReplacement(partner)
  await join(partner, joiner)
  const accepted = rejected(await withdraw(leaver), 422, 'replacement_not_possible')
  assert.match(accepted.detail, /cancel-contract/)
  const { lead } = await createCompletedQuote(partner)
  rejected(await withdraw(lead), 422, 'replacement_not_possible')
})
