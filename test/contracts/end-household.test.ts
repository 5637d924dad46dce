import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static } from 'typebox'
import { readReferenceData } from '../../src/app/reference-data.ts'
import type { EndedContractObject } from '../../src/contracts/ended-contract.schema.ts'
import { tenancyEndQuestionsJob } from '../../src/contracts/household-end/close-questions.ts'
import { words as pageWords } from '../../src/pages/words.ts'
import { words } from '../../src/tenant-pages/words.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { type HouseholdOptions, onboard, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createLeadOnboardedQuote, getQuote, testTime } from '../support/quote-fixtures.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { movableClock } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'
import { dateFields, noticeOf, openPages, problemsOf } from '../tenant-pages/tenant-browser.ts'

const service = await shareTestService({}, { startAt: testTime })
const operator = await connectOperator(service)
const { bankHolidays } = await readReferenceData()
const clock = movableClock(testTime)
const text = words.tenancyEnd
const june = '2027-06-30'
const ended = 'tenancy_ended'
const goesOn = ['in_force', null, null]
interface Answered {
  ended: Static<typeof EndedContractObject> | null
}

/** A household of three with contracts from 13 January 2027 to 12 January 2028, in a joint assured tenancy. */
async function inForce(options: HouseholdOptions & { joint?: boolean } = {}) {
  const { joint = true, ...rest } = options
  const own = await connectNewPartner(service)
  const tenancy = { type: 'assured_periodic', joint: joint ? true : 'unknown' } as const
  const household = await startHousehold(own, { tenants: 3, tenancy, ...rest })
  for (const tenant of household.tenants) await onboard(own, tenant)
  const [first = '', second = '', third = ''] = household.tenants
  const say = (body: object, query: '' | '?dryRun=true' = '') =>
    own.post(`/Quotes/${household.quoteId}/end-household${query}`, body)
  return { ...household, own, first, second, third, say }
}
const bySurrender = { lastDay: june, reason: 'tenancy_ended', evidence: 'surrender_signed' }

/** Moves the partner's clock to the morning of a day, which sends e-mails, and runs the job, as it does by itself. */
async function goTo(own: Partner, day: string): Promise<void> {
  succeeded(await own.post('/Sandbox/clock/advance', { to: `${day}T09:00:00Z` }))
  await withDatabaseKeys(service, (opened) =>
    tenancyEndQuestionsJob({ ...opened, clock, bankHolidays }).run(new AbortController().signal),
  )
  succeeded(await own.post('/Sandbox/clock/advance', { seconds: 1 }))
}
const contractOf = async (own: Partner, customerId: string) => {
  const { contract } = succeeded(await own.get(`/Customers/${customerId}`))
  return [contract?.status, contract?.endedOn, contract?.endReason]
}
const mailsTo = async (own: Partner, customerId: string) =>
  succeeded(await own.get(`/Customers/${customerId}/emails`))
    .emails.map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('tenancy_end'))
    .reverse()
const tasksOf = async (quoteId: string) =>
  succeeded(
    await operator.get<{ data: { quoteId: string; customerId: string; due: string }[] }>(
      '/Tasks?kind=tenancy_end_unanswered',
    ),
  )
    .data.filter((task) => task.quoteId === quoteId)
    .map(({ customerId, due }) => [customerId, due])

async function pagesOf(own: Partner, customerId: string) {
  const browser = await openPages(service, own, customerId, { withCode: true })
  await browser.open(`/my-bills/${customerId}/tenancy-end`)
  return browser
}
/** Says on a tenant's pages that the tenancy of all ends, with the figures in between. */
async function tell(own: Partner, customerId: string, lastDay: string, reason = 'tenancy_ended') {
  const browser = await pagesOf(own, customerId)
  await browser.send(words.leave.work, { reason, ...dateFields('lastDay', lastDay) })
  return browser.send(text.button)
}
async function answer(own: Partner, customerId: string, given: 'leaves' | 'stays' | 'other_day', otherDay?: string) {
  const browser = await pagesOf(own, customerId)
  await browser.send(words.continue, {
    answer: given,
    ...(otherDay === undefined ? {} : dateFields('otherDay', otherDay)),
  })
  return given === 'stays' ? browser.page : browser.send(text.button)
}

test('a tenant ends their own contract only; whoever says so too ends theirs, and silence ends one on the word of two', async () => {
  const { own, quoteId, first, second, third } = await inForce()
  await tell(own, first, june)
  assert.deepEqual(await contractOf(own, first), ['in_force', june, ended])
  for (const other of [second, third]) {
    assert.deepEqual(await contractOf(own, other), goesOn, 'nobody else is ended by one person')
    assert.deepEqual(await mailsTo(own, other), ['tenancy_end_question'])
    const browser = await openPages(service, own, other, { withCode: true })
    const asked = await browser.open(`/my-bills/${other}/`)
    assert.match(asked.text, /We were told that your tenancy ends on 30 June 2027/, 'the link leads to it')
    for (const hidden of ['Robin', first]) assert.ok(!asked.text.includes(hidden), 'nobody is told who said so')
  }
  assert.deepEqual(await mailsTo(own, first), [])
  await answer(own, second, 'leaves')
  assert.deepEqual(await contractOf(own, second), ['in_force', june, ended])
  // As from another device: one who answers for two is tested below.
  await rawRows(service, "update tenancy_end_reports set browser_hash = 'another' where quote_id = $1", [quoteId])
  await goTo(own, '2026-12-09')
  assert.deepEqual(await mailsTo(own, third), ['tenancy_end_question', 'tenancy_end_question'])
  assert.deepEqual(await mailsTo(own, second), ['tenancy_end_question'], 'who has answered is not asked again')
  await goTo(own, june)
  assert.deepEqual(await contractOf(own, third), goesOn, 'answers count until the last day is over')
  await goTo(own, '2027-07-01')
  assert.deepEqual((await contractOf(own, third)).slice(1), [june, ended])
  assert.deepEqual(await tasksOf(quoteId), [])
  const kept = await rawRows(
    service,
    `select browser_hash from tenancy_end_reports where quote_id = $1 union all
     select browser_hash from tenancy_end_questions where quote_id = $1`,
    [quoteId],
  )
  assert.deepEqual(new Set(kept.map(({ browser_hash }) => browser_hash)), new Set([null]))
})

test("a partner's word ends nothing; who is silent goes on, is held and asked, and an end proved later is dated back", async () => {
  const { own, quoteId, first, second, third, say } = await inForce({ joint: false })
  const dry = succeeded(await say(bySurrender, '?dryRun=true'))
  assert.deepEqual([dry.askedTenants, dry.answersUntil], [3, june])
  assert.deepEqual(await mailsTo(own, first), [])
  const said = succeeded(await say(bySurrender))
  assert.deepEqual(said, dry)
  assert.deepEqual(succeeded(await say(bySurrender)), said, 'the same again changes nothing')
  assert.deepEqual(
    said.contracts.map(({ status, lastDay }) => [status, lastDay]),
    Array(3).fill(['in_force', '2028-01-12']),
  )
  await answer(own, first, 'leaves')
  await answer(own, second, 'stays')
  assert.deepEqual(await contractOf(own, second), goesOn)
  await goTo(own, '2026-12-09')
  assert.deepEqual(await mailsTo(own, third), ['tenancy_end_question', 'tenancy_end_question'])
  await goTo(own, '2027-07-01')
  assert.deepEqual(await contractOf(own, third), goesOn, 'outside a joint assured tenancy, silence ends nothing')
  assert.deepEqual((await mailsTo(own, third)).at(-1), 'tenancy_end_outcome')
  assert.deepEqual(await tasksOf(quoteId), [[third, '2027-07-30']])
  const holds = await rawRows(
    service,
    `select due_after::text, until::text from collecting_holds where customer_id = $1 and lifted_at is null`,
    [third],
  )
  assert.deepEqual(holds, [{ due_after: june, until: '2027-07-30' }])
  // Once payments are collected again, the tenant's own word dates nothing back: only the operator's record does.
  assert.match((await pagesOf(own, third)).page?.text ?? '', /Is that right for you/)
  await goTo(own, '2027-07-31')
  assert.doesNotMatch((await pagesOf(own, third)).page?.text ?? '', /Is that right for you/)
  const { emails } = succeeded(await own.get(`/Customers/${third}/emails`))
  assert.ok(emails.some(({ kind, createdAt }) => kind === 'payment_due' && createdAt > '2027-07-31'))
  // The tenant paid for July all the same, and now says that the tenancy ended.
  for (let month = 0; month < 7; month++) succeeded(await own.post(`/Sandbox/customers/${third}/collect`))
  const path = `/Customers/${third}/answer-tenancy-end` as const
  const before = succeeded(await operator.post<Answered>(`${path}?dryRun=true`, { answer: 'leaves' }))
  const { ended: end } = succeeded(await operator.post<Answered>(path, { answer: 'leaves' }))
  assert.deepEqual(before.ended, end)
  assert.deepEqual([end?.contract.endedOn, end?.finalStatement.exitFee], [june, 0])
  assert.ok((end?.finalStatement.refundAmount ?? 0) > 0)
  assert.equal(end?.finalStatement.refundBy, '2027-08-14')
  assert.deepEqual(await tasksOf(quoteId), [])
  assert.deepEqual(await contractOf(own, second), goesOn, 'who said that they stay does')
  assert.equal((await operator.post(path, { answer: 'stays' })).status, 422)
})

test('whose question is e-mailed late has as long to answer as others, and nothing is collected for as much longer', async () => {
  const { own, third, say } = await inForce({ tenants: 3 })
  succeeded(await say({ ...bySurrender, lastDay: '2027-01-31' }))
  const held = async () => {
    const rows = await rawRows(
      service,
      'select until::text from collecting_holds where customer_id = $1 and lifted_at is null',
      [third],
    )
    return rows.map(({ until }) => until)
  }
  assert.deepEqual(await held(), ['2027-03-02'])
  await goTo(own, '2026-12-02')
  // As if the mail server had been away for seven weeks.
  await rawRows(
    service,
    `update tenant_mails set ended_at = '2027-01-25T09:00:00Z' where customer_id = $1 and kind = 'tenancy_end_question'`,
    [third],
  )
  await goTo(own, '2027-01-26')
  assert.deepEqual(await held(), ['2027-03-10'], '14 days to answer, and 30 for the operator')
  await goTo(own, '2027-02-01')
  assert.deepEqual([(await mailsTo(own, third)).at(-1), await contractOf(own, third)], ['tenancy_end_question', goesOn])
})

test('a rival partner can change nothing for a household, and who signs half of it up again is told to the operator alone', async () => {
  const { own, quoteId, addressUid, tenants } = await inForce()
  const emails = tenants.map((tenant) => `at.home.${tenant}@example.com`)
  for (const [index, tenant] of tenants.entries())
    succeeded(await own.patch(`/Customers/${tenant}`, { email: emails[index] ?? '' }))
  const seen = async () => [
    await getQuote(own, quoteId),
    ...(await Promise.all(tenants.map(async (tenant) => [await mailsTo(own, tenant), await contractOf(own, tenant)]))),
  ]
  const before = await seen()
  const rival = await connectNewPartner(service)
  const [first = ''] = tenants
  const tries = [
    rival.post(`/Quotes/${quoteId}/end-household`, bySurrender),
    rival.post(`/Quotes/${quoteId}/move-start`, { contractStartDate: '2027-02-01' }),
    rival.patch(`/Quotes/${quoteId}/occupiers`, { nextOccupier: { who: 'landlord' } }),
    rival.post(`/Customers/${first}/end-contract`, { endDate: '2027-02-10', reason: ended }),
    rival.post(`/Customers/${first}/report-death`, { relationship: 'A friend' }),
  ]
  for (const response of await Promise.all(tries)) rejected(response, 404, 'not_found')
  const named = ['Ada Lovelace', 'Alan Turing'].map((name, index) => ({ name, email: emails[index] ?? '' }))
  const again = await startHousehold(rival, { addressUid, tenants: named, contractStartDate: '2027-02-01' })
  const asSeenByRival = await getQuote(rival, again.quoteId)
  assert.deepEqual(asSeenByRival.warnings, [], 'nobody learns of another partner')
  const isTask = async () => {
    const path = '/Tasks?kind=household_ended_before&limit=1000'
    const { data } = succeeded(await operator.get<{ data: { quoteId: string }[] }>(path))
    return data.some((task) => task.quoteId === again.quoteId)
  }
  assert.deepEqual([await seen(), await isTask()], [before, false])
  for (const tenant of tenants)
    succeeded(await operator.post(`/Customers/${tenant}/end-contract`, { endDate: '2027-02-10', reason: ended }))
  assert.ok(await isTask())
  assert.deepEqual(await getQuote(rival, again.quoteId), asSeenByRival)
})

test('one person who answers for two, or one report and a payment for later, ends nobody who is silent', async () => {
  const { own, quoteId, first, second, third, say } = await inForce()
  await tell(own, first, june)
  await answer(own, second, 'leaves')
  await goTo(own, '2027-07-01')
  assert.deepEqual(await contractOf(own, third), goesOn, 'both came from one browser')
  assert.deepEqual(await tasksOf(quoteId), [[third, '2027-07-30']])
  // The tenant can still answer until the operator has.
  await answer(own, third, 'stays')
  assert.deepEqual(await tasksOf(quoteId), [])
  succeeded(await say(bySurrender))
  assert.deepEqual(await contractOf(own, third), goesOn)
  assert.deepEqual(await mailsTo(own, third), ['tenancy_end_question', 'tenancy_end_outcome'])
})

test('who said so can move or take it back, who stays can say so until the last day, and others are told', async () => {
  const { own, first, second, third, say } = await inForce()
  await tell(own, first, june)
  await answer(own, second, 'other_day', '2027-05-31')
  assert.deepEqual(await contractOf(own, second), ['in_force', '2027-05-31', ended])
  await answer(own, second, 'stays')
  assert.deepEqual(await contractOf(own, second), goesOn)
  await tell(own, first, '2027-07-31')
  assert.deepEqual(await contractOf(own, first), ['in_force', '2027-07-31', ended])
  assert.deepEqual(await mailsTo(own, third), ['tenancy_end_question', 'tenancy_end_question'], 'asked about that day')
  const browser = await pagesOf(own, first)
  assert.match(browser.page?.text ?? '', /You told us that the tenancy ends on 31 July 2027/)
  await browser.send(text.takeBack)
  assert.deepEqual(await contractOf(own, first), goesOn)
  assert.deepEqual((await mailsTo(own, third)).slice(2), ['tenancy_end_outcome'])
  // The partner can too.
  assert.equal(succeeded(await say(bySurrender)).askedTenants, 2, 'who stays is not asked about the same day again')
  assert.equal(succeeded(await say({ lastDay: null, reason: 'tenancy_ended' })).askedTenants, 0)
  await goTo(own, '2027-07-01')
  for (const tenant of [first, second, third]) assert.deepEqual(await contractOf(own, tenant), goesOn)
})

test('what was said of a tenancy counts for nothing once its first day has moved', async () => {
  const { own, quoteId, first, second, third, say } = await inForce()
  await tell(own, first, june)
  await answer(own, second, 'leaves')
  await rawRows(service, "update tenancy_end_reports set browser_hash = 'another' where quote_id = $1", [quoteId])
  succeeded(await own.post(`/Quotes/${quoteId}/move-start`, { contractStartDate: '2027-02-01' }))
  for (const tenant of [first, second, third]) succeeded(await own.post(`/Customers/${tenant}/accept-terms`))
  await goTo(own, '2026-12-09')
  assert.deepEqual(await mailsTo(own, third), ['tenancy_end_question'], 'nobody is asked again')
  succeeded(await say(bySurrender))
  await goTo(own, '2027-07-01')
  for (const tenant of [first, second, third]) assert.deepEqual(await contractOf(own, tenant), goesOn)
  assert.equal((await tasksOf(quoteId)).length, 3)
})

test('whose e-mail address was another one just before is asked by the operator, whoever is silent at the new one', async () => {
  const { own, quoteId, first, second } = await inForce({ tenants: 2 })
  succeeded(await own.patch(`/Customers/${first}`, { email: `new.${first}@example.com` }))
  succeeded(await own.patch(`/Customers/${second}`, { phone: '07700 900111' }))
  for (const tenant of [first, second])
    succeeded(await own.post(`/Customers/${tenant}/end-contract`, { endDate: '2026-12-20', reason: ended }))
  await goTo(own, '2026-12-21')
  assert.deepEqual(await contractOf(own, first), goesOn)
  assert.equal((await contractOf(own, second))[0], 'ended')
  assert.deepEqual(
    (await tasksOf(quoteId)).map(([tenant]) => tenant),
    [first],
  )
})

test('one tenant writes to their housemates three times a day at most, and what is rejected changes nothing', async () => {
  const { own, first, second } = await inForce({ tenants: 2 })
  for (const day of ['2027-03-31', '2027-04-30', '2027-05-31'])
    assert.equal(noticeOf(await tell(own, first, day)), words.notices.notice_received)
  const refused = await tell(own, first, june)
  assert.equal(refused.status, 429)
  assert.equal(noticeOf(refused), pageWords.notices.rate_limited(86_400))
  assert.deepEqual(await contractOf(own, first), ['in_force', '2027-05-31', ended])
  assert.equal((await mailsTo(own, second)).length, 3)
  await advanceClock(own, { days: 1 })
  assert.equal(noticeOf(await tell(own, first, june)), words.notices.notice_received)
})

test('only in a joint assured tenancy in England the page says that one notice ends it for all', async () => {
  for (const joint of [true, false]) {
    const { own, first } = await inForce({ tenants: 1, joint })
    const browser = await openPages(service, own, first, { withCode: true })
    const { text: shown } = await browser.open(`/my-bills/${first}/leave`)
    assert.equal(shown.includes(words.leave.jointTenancy), joint)
  }
})

test('what cannot be said of a household is rejected with what to do', async () => {
  const { own, first, say } = await inForce({ tenants: 2 })
  const { evidence: _, ...without } = bySurrender
  const needed = rejected(await say(without), 422, 'validation_failed')
  assert.match(JSON.stringify(needed), /landlord's notice, of any ground, is no evidence/)
  for (const lastDay of ['2028-01-12', '2026-11-30'])
    assertProblem(await say({ ...bySurrender, lastDay }), 'end_date_not_allowed', ['/lastDay end_date_not_allowed'])
  const notice = await say({ ...bySurrender, evidence: 'landlords_notice' })
  assertProblem(notice, 'validation_failed', ['/evidence not_allowed'])
  const { quoteId } = await createLeadOnboardedQuote(own)
  assertProblem(await own.post(`/Quotes/${quoteId}/end-household`, bySurrender), 'contract_not_in_force')
  const asked = await operator.post(`/Customers/${first}/answer-tenancy-end`, { answer: 'leaves' })
  assertProblem(asked, 'nothing_asked')
  const browser = await pagesOf(own, first)
  await browser.send(words.leave.work, { reason: 'tenancy_ended', ...dateFields('lastDay', '2026-11-30') })
  assert.deepEqual(problemsOf(browser.page ?? assert.fail()), { lastDay: text.dayProblem })
})

test('a partner’s word that one tenancy ends is a question: it ends the contract unless the tenant says no in time', async () => {
  const { own, first, second, third } = await inForce()
  const endOne = (customerId: string, endDate: string) =>
    own.post(`/Customers/${customerId}/end-contract`, { endDate, reason: 'tenancy_ended' })
  const dry = succeeded(
    await own.post(`/Customers/${first}/end-contract?dryRun=true`, { endDate: '2026-12-04', reason: 'tenancy_ended' }),
  )
  const asked = succeeded(await endOne(first, '2026-12-04'))
  assert.deepEqual(asked, dry)
  assert.deepEqual([asked.contract.endedOn, asked.askedUntil], [null, '2026-12-08'], 'seven days after the e-mail')
  assert.deepEqual(succeeded(await endOne(first, '2026-12-04')), asked, 'the same again asks nothing again')
  succeeded(await endOne(second, '2026-12-20'))
  succeeded(await endOne(third, '2026-12-20'))
  for (const tenant of [first, second, third]) {
    assert.deepEqual(await contractOf(own, tenant), goesOn)
    assert.deepEqual(await mailsTo(own, tenant), ['tenancy_end_question'])
  }
  await answer(own, second, 'stays')
  rejected(await endOne(second, '2026-12-20'), 422, 'end_date_not_allowed')
  const kept = succeeded(await own.post(`/Customers/${third}/keep-contract`))
  assert.equal(kept.contract.endedOn, null)
  assert.deepEqual(await mailsTo(own, third), ['tenancy_end_question', 'tenancy_end_outcome'])
  await goTo(own, '2026-12-08')
  assert.deepEqual(await contractOf(own, first), goesOn)
  await goTo(own, '2026-12-09')
  // Before the first day of the contract, it ends at once.
  assert.deepEqual(await contractOf(own, first), ['ended', '2026-12-09', ended])
  await goTo(own, '2026-12-21')
  for (const tenant of [second, third]) assert.deepEqual(await contractOf(own, tenant), goesOn)
})
