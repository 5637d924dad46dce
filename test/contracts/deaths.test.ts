import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static } from 'typebox'
import type { TaskList } from '../../src/back-office/tasks/list-tasks.route.ts'
import type { EndedContractObject } from '../../src/contracts/ended-contract.schema.ts'
import { listDuePayments } from '../../src/payments/collecting/collecting.store.ts'
import { listOpenRefunds } from '../../src/payments/refunding/refunding.store.ts'
import { isoDate } from '../../src/platform/kernel/dates.ts'
import { words } from '../../src/tenant-pages/words.ts'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { eventsOf } from '../support/deliveries.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { connectNewPartner, withDatabase } from '../support/partners.ts'
import { advanceClock, getQuote, testTime } from '../support/quote-fixtures.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { movableClock } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'
import { dateFields, noticeOf, openPages, problemsOf } from '../tenant-pages/tenant-browser.ts'

const service = await shareTestService({}, { startAt: testTime })
const operator = await connectOperator(service)
const clock = movableClock(testTime)

interface Reports {
  reports: {
    reportedBy: string
    relationship: string
    isHeld: boolean
    outcome: string | null
    dueOn: string
    signedInAt: string | null
  }[]
}
const report = (own: Partner, id: string, body: object = {}) =>
  own.post(`/Customers/${id}/report-death`, { relationship: 'A friend', ...body })
const decide = (id: string, body: object) =>
  operator.post<{ lastDay: string | null }>(`/Customers/${id}/decide-death`, body)
const reportsOf = async (id: string) => succeeded(await operator.get<Reports>(`/Customers/${id}/death-reports`)).reports
const mailsTo = async (own: Partner, id: string) => succeeded(await own.get(`/Customers/${id}/emails`)).emails

/** Two tenants whose contracts run from 4 January 2027. */
async function inForce(tenants = 2) {
  const own = await connectNewPartner(service)
  const household = await startHousehold(own, { tenants, contractStartDate: '2027-01-04' })
  for (const tenant of household.tenants) await onboard(own, tenant)
  const [lead = '', other = ''] = household.tenants
  return { own, lead, other, quoteId: household.quoteId }
}

/** The customer's payments that may be collected now, or once the clock of the service is days ahead. */
const collectable = (id: string, days = 0) =>
  withDatabase(service, async (db) => {
    const now = new Date(clock.now().getTime() + days * 86_400_000)
    const due = await listDuePayments(db, {
      ...{ now, from: isoDate('2020-01-01'), after: undefined, limit: 1_000 },
    })
    return due.filter(({ customerId }) => customerId === id).length
  })

/** The refunds of the customer that a job may pay to cards. */
const refundable = (id: string) =>
  withDatabase(service, async (db) => {
    const asked = { from: isoDate('2020-01-01'), now: new Date(), after: undefined, limit: 1_000 }
    return (await listOpenRefunds(db, asked)).filter(({ customerId }) => customerId === id).length
  })

test('a report holds e-mails and payments at once, and tells neither the partner nor the household', async () => {
  const { own, lead, other, quoteId } = await inForce()
  await advanceClock(own, { seconds: 60 })
  const before = await Promise.all([own.get(`/Customers/${lead}`), getQuote(own, quoteId), mailsTo(own, other)])
  const events = (await eventsOf(own)).length
  const said = { diedOn: '2026-11-20', estate: 'Kim Reed', comment: 'She called.' }
  succeeded(await report(own, lead, said))
  succeeded(await own.post('/Sandbox/clock/advance', { to: '2027-03-01T09:00:00Z' }))
  const held = await mailsTo(own, lead)
  assert.ok(held.every(({ createdAt, outcome }) => outcome === null || createdAt < '2026-12-02'))
  assert.equal(await collectable(lead), 0)
  assert.ok((await collectable(other)) > 0)
  const [first] = await reportsOf(lead)
  assert.deepEqual(
    [first?.reportedBy, first?.relationship, first?.isHeld, first?.dueOn],
    ['client', 'A friend', true, '2026-12-15'],
  )
  assert.deepEqual(
    (await mailsTo(own, other)).filter(({ kind }) => kind === 'share_ended'),
    [],
  )
  assert.equal((await eventsOf(own)).length, events)
  assert.equal((await getQuote(own, quoteId)).status, before[1].status)
  const stored = await rawRows(service, 'select details_encrypted from death_reports where customer_id = $1', [lead])
  assert.doesNotMatch(JSON.stringify(stored), /Kim|friend/)
  const exported = succeeded(await own.get(`/Customers/${lead}/export`))
  assert.doesNotMatch(JSON.stringify(exported), /A friend|Kim Reed|death_/)

  succeeded(await decide(lead, { outcome: 'lifted' }))
  await advanceClock(own, { seconds: 7 * 3_600 })
  assert.ok(
    (await mailsTo(own, lead)).every(({ outcome }) => outcome !== null),
    'held e-mails are sent',
  )
  assert.equal(await collectable(lead), 0, 'ten days later')
  const announced = (await mailsTo(own, lead)).filter(
    ({ kind, createdAt }) => kind === 'payment_due' && createdAt > '2027',
  )
  assert.equal(announced.length, await collectable(lead, 10))
  assert.equal(await collectable(lead, 9), 0)
  assert.ok((await collectable(lead, 10)) > 0)
  rejected(await decide(lead, { outcome: 'lifted' }), 422, 'no_death_reported')
})

test('a confirmed death ends the contract on the day without fee or set-up, pays no card, and tells the others the day only', async () => {
  const { own, lead, other } = await inForce()
  const { payments } = succeeded(await own.get(`/Customers/${other}/payment-schedules`)).paymentSchedule
  for (let count = 0; count < 3; count++) succeeded(await own.post(`/Sandbox/customers/${lead}/collect`))
  succeeded(await own.post('/Sandbox/clock/advance', { to: '2027-02-20T09:00:00Z' }))
  // As after a payment that failed.
  await rawRows(
    service,
    `update payment_entries set kind = 'fee' where entry_id in (select entry_id from payment_entries
       where customer_id = $1 and status = 'planned' order by due_on desc limit 1)`,
    [lead],
  )
  const owed = succeeded(
    await own.post(`/Customers/${lead}/end-contract?dryRun=true`, { endDate: '2027-06-30', reason: 'other' }),
  )
  assert.ok(owed.finalStatement.lateFeeAmount > 0)
  succeeded(await report(own, lead))
  const missing = rejected(await decide(lead, { outcome: 'confirmed' }), 422, 'validation_failed')
  assert.deepEqual(invalidFields(missing), [['/lastDay', 'required']])
  const { lastDay } = succeeded(await decide(lead, { outcome: 'confirmed', lastDay: '2027-01-20' }))
  assert.equal(lastDay, '2027-01-20')
  const [contract] = succeeded(await own.get(`/Customers/${lead}/contracts`)).contracts
  assert.deepEqual([contract?.endedOn, contract?.endReason], ['2027-01-20', 'notice'])
  const [{ final_statement: statement } = {}] = await rawRows(
    service,
    'select final_statement from contracts where customer_id = $1',
    [lead],
  )
  const fees = await rawRows(service, `select status from payment_entries where customer_id = $1 and kind = 'fee'`, [
    lead,
  ])
  assert.deepEqual(fees, [{ status: 'cancelled' }])
  const { supplyCost, setUpCost, fee, lateFees, alreadyPaid, refund, due } = statement as Record<string, number>
  assert.deepEqual([setUpCost, fee, lateFees, due], [0, 0, 0, 0])
  assert.equal(refund, Number(alreadyPaid) - Number(supplyCost), 'to the penny')
  assert.ok(Number(supplyCost) > 0 && Number(refund) > 0)
  assert.deepEqual([await collectable(lead), await refundable(lead)], [0, 0])
  const tasks = succeeded(
    await operator.get<{ data: { kind: string; customerId: string }[] }>('/Tasks?limit=1000'),
  ).data
  assert.deepEqual(
    tasks.filter(({ customerId }) => customerId === lead).map(({ kind }) => kind),
    ['refund_due'],
  )
  const [{ entry_id: entryId } = {}] = await rawRows(
    service,
    `select entry_id from payment_entries where customer_id = $1 and kind = 'refund'`,
    [lead],
  )
  succeeded(await operator.post(`/Payments/${entryId}/refund`))
  const [orders] = await rawRows(service, 'select count(*)::int as n from refund_orders where customer_id = $1', [lead])
  assert.equal(orders?.n, 0, 'the operator cannot pay it to the card either')

  assert.deepEqual(
    succeeded(await own.get(`/Customers/${other}/payment-schedules`)).paymentSchedule.payments.map(
      ({ amount }) => amount,
    ),
    payments.map(({ amount }) => amount),
  )
  await advanceClock(own, { days: 1 })
  const told = await mailsTo(own, other)
  assert.equal(told.filter(({ kind }) => kind === 'share_ended').length, 1)
  const toLead = await mailsTo(own, lead)
  assert.ok(toLead.every(({ outcome, kind }) => outcome !== null || kind === 'contract_in_force'))
  assert.equal((await reportsOf(lead))[0]?.outcome, 'confirmed')
  succeeded(await report(own, lead))
  assert.equal((await reportsOf(lead)).length, 1, 'a death that is confirmed is not reported again')
})

test('who has not signed is only held, so the household goes on without them; who agreed before the others is withdrawn', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, tenants } = await startHousehold(own, { tenants: 3, contractStartDate: '2027-01-04' })
  const [first = '', agreed = '', unsigned = ''] = tenants
  succeeded(await report(own, unsigned))
  succeeded(await own.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [unsigned] }))
  assert.equal((await operator.get(`/Customers/${unsigned}/death-reports`)).status, 404)
  await onboard(own, agreed)
  succeeded(await report(own, agreed, { diedOn: '2026-11-20' }))
  assert.equal(succeeded(await decide(agreed, { outcome: 'confirmed' })).lastDay, null)
  const [contract] = succeeded(await own.get(`/Customers/${agreed}/contracts`)).contracts
  assert.deepEqual([contract?.status, contract?.endReason], ['cancelled', 'withdrawn'])
  succeeded(await own.post(`/Quotes/${quoteId}/reopen`))
  succeeded(await own.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [agreed] }))
  await onboard(own, first)
  assert.equal((await getQuote(own, quoteId)).status, 'completed')
})

test('once the death of the lead tenant is confirmed, somebody else can lead, and the operator is told until then', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, tenants } = await startHousehold(own, { tenants: 2, contractStartDate: '2027-01-04' })
  const [lead = '', other = ''] = tenants
  succeeded(await report(own, lead))
  succeeded(await decide(lead, { outcome: 'confirmed' }))
  const isMissing = async () => {
    const path = '/Tasks?kind=lead_missing&limit=1000'
    const { data } = succeeded(await operator.get<{ data: { quoteId: string }[] }>(path))
    return data.some((task) => task.quoteId === quoteId)
  }
  assert.deepEqual([(await getQuote(own, quoteId)).leadTenantId, await isMissing()], [null, true])
  const pages = await openPages(service, own, other, { withCode: true })
  await pages.open(`/my-bills/${other}/household`)
  await pages.send(words.household.nobodyLeads.button)
  assert.deepEqual([(await getQuote(own, quoteId)).leadTenantId, await isMissing()], [other, false])
  succeeded(await own.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [lead] }))
  await onboard(own, other)
  assert.equal((await getQuote(own, quoteId)).status, 'completed')
})

test('lifting and confirming at once settles a report once', async () => {
  const { own, lead } = await inForce(1)
  succeeded(await report(own, lead, { diedOn: '2026-11-20' }))
  const results = await Promise.all([
    decide(lead, { outcome: 'lifted' }),
    decide(lead, { outcome: 'confirmed' }),
    decide(lead, { outcome: 'lifted' }),
  ])
  assert.deepEqual(results.map(({ status }) => status).sort(), [200, 422, 422])
  const [report1] = await reportsOf(lead)
  const [contract] = succeeded(await own.get(`/Customers/${lead}/contracts`)).contracts
  assert.equal(contract?.endReason, report1?.outcome === 'confirmed' ? 'notice' : null)
})

test('a day of death in the future is rejected; what an estate owes is a task until it is paid', async () => {
  const { own, lead } = await inForce(1)
  const future = rejected(await report(own, lead, { diedOn: '2027-12-01' }), 422, 'validation_failed')
  assert.deepEqual(invalidFields(future), [['/diedOn', 'out_of_range']])
  assert.deepEqual(await reportsOf(lead), [])
  succeeded(await own.post('/Sandbox/clock/advance', { to: '2027-03-01T09:00:00Z' }))
  succeeded(await report(own, lead, { diedOn: '2027-02-20' }))
  succeeded(await decide(lead, { outcome: 'confirmed' }))
  const owed = async () => {
    const { data } = succeeded(await operator.get<Static<typeof TaskList>>('/Tasks?kind=estate_owes&limit=1000'))
    return data.filter(({ customerId }) => customerId === lead).map(({ entryId }) => entryId)
  }
  const entries = await owed()
  assert.ok(entries.length > 0)
  for (const entryId of entries)
    succeeded(await operator.post(`/Payments/${entryId}/status`, { status: 'paid', paymentId: `BACS-${entryId}` }))
  assert.deepEqual(await owed(), [])
})

test('a housemate reports on their pages, and is not named to anybody; after a lifted report theirs hold nothing', async () => {
  const { own, lead, other } = await inForce()
  const page = (id: string, name: string) => `/my-bills/${id}/${name}`
  const reporter = await openPages(service, own, other, { withCode: true })
  const send = async () => {
    await reporter.open(page(other, 'death'))
    return reporter.send(words.death.button, {
      who: lead,
      relationship: 'Their housemate',
      ...dateFields('diedOn', '2026-11-20'),
    })
  }
  assert.equal(noticeOf(await send()), words.notices.death_reported)
  const [first] = await reportsOf(lead)
  assert.deepEqual([first?.reportedBy, first?.isHeld], ['tenant', true])
  const log = await rawRows(service, 'select * from audit_log where customer_id = $1', [lead])
  assert.ok(!JSON.stringify(log).includes(other))
  for (const id of [lead, other]) {
    const { auditLog } = succeeded(await own.get(`/Customers/${id}/export`))
    assert.ok(auditLog.length > 0)
    assert.doesNotMatch(JSON.stringify(auditLog), /death|hold/i)
  }

  const reported = await openPages(service, own, lead, { withCode: true })
  assert.match((await reported.open(page(lead, 'home'))).text, /We have paused your payments and our e-mails to you/)
  assert.notEqual((await reportsOf(lead))[0]?.signedInAt, null)
  succeeded(await decide(lead, { outcome: 'lifted' }))
  await send()
  assert.deepEqual(
    (await reportsOf(lead)).map(({ isHeld }) => isHeld),
    [true, false],
  )
  assert.doesNotMatch((await reported.open(page(lead, 'home'))).text, /We have paused/)
  for (let count = 0; count < 6; count++) await send()
  assert.equal((await reportsOf(lead)).length, 6, 'at most five are open')
  succeeded(await decide(lead, { outcome: 'confirmed' }))
  assert.match(
    (await reported.open(page(lead, 'home'))).text,
    new RegExp(words.ended.newLink),
    'their session has ended',
  )
})

interface Asked {
  request: { cause: string; lastDay: string; comment: string | null; dueOn: string; outcome: string | null } | null
}
const askedBy = async (id: string) => succeeded(await operator.get<Asked>(`/Customers/${id}/end-request`)).request
const isTask = async (id: string) => {
  const { data } = succeeded(await operator.get<Static<typeof TaskList>>('/Tasks?kind=end_requested&limit=1000'))
  return data.some(({ customerId }) => customerId === id)
}
const endAs = (id: string, body: object) =>
  operator.post<Static<typeof EndedContractObject>>(`/Customers/${id}/end-contract`, body)

/** Asks on the leave page, and returns what it then shows. */
async function askToEnd(own: Partner, id: string, fields: Readonly<Record<string, string>>) {
  const pages = await openPages(service, own, id, { withCode: true })
  await pages.open(`/my-bills/${id}/leave`)
  return { pages, shown: await pages.send(words.leave.work, fields) }
}

test('a tenant asks for a cause of the operator: nobody else learns of it, and it is a task until they end it or answer', async () => {
  const { own, lead, other } = await inForce()
  await advanceClock(own, { seconds: 60 })
  const told = async () => {
    const mails = [...(await mailsTo(own, lead)), ...(await mailsTo(own, other))]
    // From the table: GET /Events shows an event only once older transactions have ended.
    const events = await rawRows(service, "select from events where data ->> 'customerId' = $1", [lead])
    return [events.length, mails.filter(({ kind }) => kind !== 'confirmation_code').length]
  }
  const before = await told()
  const cause = { reason: 'moved_into_care', ...dateFields('endDate', '2027-02-28'), comment: 'Ring me at work' }
  const { pages, shown } = await askToEnd(own, lead, cause)
  assert.equal(noticeOf(shown), words.notices.end_requested)
  assert.ok(shown.text.includes(words.leave.asked(isoDate('2026-12-15'))))
  const asked = await askedBy(lead)
  assert.deepEqual(
    [asked?.cause, asked?.lastDay, asked?.comment, asked?.dueOn, asked?.outcome],
    ['moved_into_care', '2027-02-28', 'Ring me at work', '2026-12-15', null],
  )
  assert.ok(await isTask(lead))
  assert.deepEqual(await told(), before)
  const stored = await rawRows(
    service,
    `select (select json_agg(a) from audit_log a where a.customer_id = $1) as log,
            (select json_agg(h) from collecting_holds h where h.customer_id = $1) as holds, r.*
       from end_requests r where r.customer_id = $1`,
    [lead],
  )
  const exported = succeeded(await own.get(`/Customers/${lead}/export`))
  assert.equal(stored.length, 1)
  assert.doesNotMatch(JSON.stringify([stored, exported]), /into_care|Ring me|end_request/)

  const answer = 'We rang you: your sister takes over your share.'
  succeeded(await operator.post(`/Customers/${lead}/answer-end-request`, { answer }))
  assert.ok(!(await isTask(lead)))
  assert.ok((await pages.open(`/my-bills/${lead}/leave`)).text.includes(words.leave.answered(answer)))
  await pages.send(words.leave.work, cause)
  succeeded(await endAs(lead, { endDate: '2027-11-01', reason: 'other' }))
  assert.ok(await isTask(lead), 'an end without the cause is not what they asked')
  const ended = succeeded(await endAs(lead, { endDate: '2027-02-28', reason: 'moved_into_care' }))
  assert.deepEqual([ended.contract.endReason, ended.finalStatement.exitFee], ['notice', 0])
  assert.equal((await askedBy(lead))?.outcome, 'ended')
  rejected(await operator.post(`/Customers/${lead}/answer-end-request`, { answer }), 422, 'nothing_asked')
})

test('a last day of the tenancy longer ago than 14 days is held and checked by the operator, who dates the end back', async () => {
  const { own, lead } = await inForce()
  succeeded(await own.post('/Sandbox/clock/advance', { to: '2027-03-20T09:00:00Z' }))
  const due = await collectable(lead)
  const said = (day: string) => ({ reason: 'tenancy_ended', ...dateFields('endDate', day) })
  const { pages, shown } = await askToEnd(own, lead, said('2026-11-01'))
  assert.deepEqual(problemsOf(shown), { endDate: words.leave.problem }, 'before they agreed')
  assert.equal(noticeOf(await pages.send(words.leave.work, said('2027-01-31'))), words.notices.end_requested)
  assert.equal(succeeded(await own.get(`/Customers/${lead}`)).contract?.endedOn, null)
  assert.ok((await isTask(lead)) && (await collectable(lead)) < due)
  const { finalStatement, contract } = succeeded(await endAs(lead, { endDate: '2027-01-31', reason: 'tenancy_ended' }))
  assert.deepEqual([contract.endedOn, finalStatement.exitFee], ['2027-01-31', 0])
  assert.ok(!(await isTask(lead)))
  const holds = 'select from collecting_holds where customer_id = $1 and lifted_at is null'
  assert.deepEqual(await rawRows(service, holds, [lead]), [], 'what is left to pay is taken')
})
