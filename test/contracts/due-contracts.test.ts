import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueContractsJob, endDueContracts } from '../../src/contracts/termination/end-due-contracts.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createCompletedQuote, getQuote } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const runJob = () =>
  withDatabaseKeys(service, (opened) =>
    dueContractsJob({ ...opened, clock: systemClock }).run(new AbortController().signal),
  )

async function eventsOf(quoteId: string): Promise<unknown[]> {
  const rows = await rawRows(
    service,
    `select data ->> 'endsOn' as "endsOn", data ->> 'status' as status, data ->> 'reason' as reason from events
      where quote_id = $1 and (type = 'customer.contract.ending' or data ->> 'status' = 'ended') order by event_number`,
    [quoteId],
  )
  return rows
}

const contractOf = async (partner: Partner, customerId: string) =>
  succeeded(await partner.get(`/Customers/${customerId}`)).contract

/** Moves the partner's clock to the day that is this many days before the contract's last day. */
async function goToDaysBefore(partner: Partner, quoteId: string, days: number, today: string): Promise<string> {
  const { contractEndDate } = await getQuote(partner, quoteId)
  const target = Date.parse(contractEndDate) - days * 86_400_000
  await advanceClock(partner, { days: Math.round((target - Date.parse(today)) / 86_400_000) })
  return new Date(target).toISOString().slice(0, 10)
}

test('a contract is announced to end 45 and 30 days before its last day, once each, and ends when that day is over', async () => {
  const partner = await connectNewPartner(service)
  const { quoteId, lead } = await createCompletedQuote(partner)
  const { contractEndDate: endsOn } = await getQuote(partner, quoteId)
  let today = new Date().toISOString().slice(0, 10)
  const announcement = { endsOn, status: null, reason: null }
  for (const [daysLeft, announced] of [
    [46, 0],
    [45, 1],
    [31, 1],
    [30, 2],
    [0, 2],
  ] as const) {
    today = await goToDaysBefore(partner, quoteId, daysLeft, today)
    await runJob()
    await runJob()
    assert.deepEqual(await eventsOf(quoteId), Array(announced).fill(announcement), `${daysLeft} days left`)
    assert.equal((await contractOf(partner, lead))?.status, 'in_force')
  }
  await goToDaysBefore(partner, quoteId, -1, today)
  await runJob()
  assert.deepEqual((await eventsOf(quoteId)).slice(2), [{ endsOn: null, status: 'ended', reason: 'term_over' }])
  const contract = await contractOf(partner, lead)
  assert.deepEqual([contract?.status, contract?.endedOn, contract?.endReason], ['ended', endsOn, 'term_over'])
  assert.equal((await getQuote(partner, quoteId)).status, 'completed')
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).status, 'OnboardingComplete')
})

test('a contract of one month is announced once, when it is in force', async () => {
  const partner = await connectNewPartner(service)
  const start = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
  const { quoteId, lead } = await startHousehold(partner, {
    tenants: 1,
    contractStartDate: start,
    ...oneMonthFrom(start),
  })
  await onboard(partner, lead, { supplyDuringCancellation: true })
  const { contractEndDate: endsOn } = await getQuote(partner, quoteId)
  await advanceClock(partner, { days: 35 })
  await runJob()
  await runJob()
  assert.deepEqual(await eventsOf(quoteId), [{ endsOn, status: null, reason: null }])
})

test('after the last day, electricity and gas can still be cancelled by who said so in time, broadband alone cannot', async () => {
  const partner = await connectNewPartner(service)
  const [today = ''] = new Date().toISOString().split('T')
  const start = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
  const common = { tenants: 1, contractStartDate: start, ...oneMonthFrom(start) }
  const { lead } = await startHousehold(partner, common)
  const only = { ...common, packages: ['broadband'], products: ['fibre-150'] } as const
  const { lead: online } = await startHousehold(partner, only)
  for (const tenant of [lead, online]) await onboard(partner, tenant, { supplyDuringCancellation: true })
  await advanceClock(partner, { days: 70 })
  await runJob()
  for (const tenant of [lead, online]) assert.equal((await contractOf(partner, tenant))?.endReason, 'term_over')
  const cancel = (tenant: string, body: object) => partner.post(`/Customers/${tenant}/cancel-contract`, body)
  rejected(await cancel(lead, {}), 422, 'contract_not_in_force')
  rejected(await cancel(online, { sentOn: today }), 422, 'contract_not_in_force')
  // Until they were sent a confirmation, their 14 days do not begin.
  await rawRows(service, 'update contracts set confirmation_sent_at = null where customer_id = any($1)', [
    [lead, online],
  ])
  succeeded(await partner.post(`/Customers/${lead}/cancel-contract?dryRun=true`, {}))
  rejected(await cancel(online, {}), 422, 'contract_not_in_force')
  const { contract, finalStatement } = succeeded(await cancel(lead, { sentOn: today }))
  assert.deepEqual([contract.status, contract.endReason], ['cancelled', 'cancelled'])
  const { totalCost } = succeeded(await partner.get(`/Customers/${lead}/total-cost`))
  assert.equal(finalStatement.totalCost, totalCost, 'all of it was supplied at the tenant’s request')
})

test('contracts that cannot be ended keep no other waiting, however many they are, and are retried by the next run', async (t) => {
  const own = await startTestService()
  t.after(() => own.stop())
  const partner = await connectPartner(own.baseUrl, own.credentials)
  for (let household = 0; household < 3; household += 1) await createCompletedQuote(partner)
  await advanceClock(partner, { days: 500 })
  const runInBatches = () =>
    withDatabaseKeys(own, (opened) =>
      endDueContracts({ ...opened, clock: systemClock }, { batch: 1, isStopping: () => false }),
    )
  const ended = async () => {
    const rows = await rawRows(own, 'select status from contracts order by last_day, contract_number')
    return rows.map(({ status }) => status === 'ended')
  }
  const [first, second] = await rawRows(own, 'select contract_number from contracts order by last_day, contract_number')
  await rawRows(
    own,
    `alter table contracts add constraint never_ended check (status <> 'ended'
     or contract_number not in ('${first?.contract_number}', '${second?.contract_number}'))`,
  )
  await assert.rejects(runInBatches)
  assert.deepEqual(await ended(), [false, false, true])
  await rawRows(own, 'alter table contracts drop constraint never_ended')
  await runInBatches()
  assert.deepEqual(await ended(), [true, true, true])
})

/** The last day of a month's contract. */
function oneMonthFrom(start: string): { contractEndDate: string } {
  const end = Temporal.PlainDate.from(start).add({ months: 1 }).subtract({ days: 1 })
  return { contractEndDate: end.toString() }
}
