import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { words as pageWords } from '../../src/pages/words.ts'
import type { IsoDate } from '../../src/platform/kernel/dates.ts'
import { words } from '../../src/tenant-pages/words.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { attachCard, finalise, onboard, startHousehold } from '../support/household.ts'
import { waitForLockWaiters } from '../support/lock-waiters.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, expire, getQuote, testTime } from '../support/quote-fixtures.ts'
import { join, startReplacement } from '../support/replacements.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import {
  dateFields,
  enterCode,
  headingOf,
  noticeOf,
  type OpenedPage,
  openPages,
  problemsOf,
  rowsOf,
  type TenantBrowser,
  tableOf,
} from './tenant-browser.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

const customer = async (customerId: string, own = partner) => succeeded(await own.get(`/Customers/${customerId}`))
const birthday = async (customerId: string) =>
  succeeded(await partner.get(`/Customers/${customerId}/export`)).personalDetails.dateOfBirth
const page = (customerId: string, name: string) => `/my-bills/${customerId}/${name}`
const open = (customerId: string, how: { withCode?: boolean; own?: Partner } = {}) =>
  openPages(service, how.own ?? partner, customerId, how)
/** What the audit log says of a customer's changes on their pages. */
const changesOf = (customerId: string) =>
  rawRows(
    service,
    `select operation, action, subject_type, fields from audit_log
      where customer_id = $1 and actor = 'tenant' and action in ('created', 'changed', 'removed') order by entry_number`,
    [customerId],
  )
const setupIntents = async (customerId: string) =>
  (await rawRows(service, 'select 1 from setup_intents where customer_id = $1', [customerId])).length
const pounds = (pence: number) => `£${(pence / 100).toLocaleString('en-GB', { minimumFractionDigits: 2 })}`

const details = {
  firstName: 'Zainab',
  lastName: 'Quill',
  phone: '07700 900123',
  ...dateFields('dateOfBirth', '1999-03-27'),
}
const needs = {
  contactFirstName: 'Sam',
  contactLastName: 'Carer',
  contactRelationship: 'sister',
  contactPhone: '07700 900456',
  contactAgreed: 'yes',
  consent: 'yes',
}

test('details: each problem is named at its field, and what was entered stays', async () => {
  const { lead } = await startHousehold(partner)
  const browser = await open(lead)
  await browser.open(page(lead, 'details'))
  for (const [changes, wrong] of [
    [{ firstName: '' }, ['firstName']],
    [{ lastName: ' ' }, ['lastName']],
    [{ phone: '12' }, ['phone']],
    [dateFields('dateOfBirth', '99-2-3'), ['dateOfBirth']],
    [dateFields('dateOfBirth', '2015-02-03'), ['dateOfBirth']],
    [{ firstName: '', phone: '', ...dateFields('dateOfBirth', '') }, ['firstName', 'phone', 'dateOfBirth']],
  ] as const) {
    const entered: Record<string, string> = { ...details, ...changes }
    const shown = await browser.send(words.continue, entered)
    const problems = problemsOf(shown)
    assert.deepEqual(Object.keys(problems), wrong)
    for (const field of wrong) assert.equal(problems[field], words.details.problems[`/${field}`])
    for (const [name, value] of Object.entries(entered))
      assert.match(shown.text, new RegExp(`name="${name}"[^>]*value="${value.trim()}"`))
  }
  const noDay = await browser.send(words.continue, { ...details, ...dateFields('dateOfBirth', '1999-02-30') })
  assert.deepEqual(problemsOf(noDay), { dateOfBirth: pageWords.noSuchDay })
  assert.equal((await customer(lead)).status, 'active')
  const next = await browser.send(words.continue, details)
  assert.equal(next.path, page(lead, 'extra-help'))
  const { status, personalDetails } = await customer(lead)
  assert.equal(status, 'PersonalInfoComplete')
  const { email: _, ...stored } = personalDetails
  assert.deepEqual(stored, { firstName: 'Zainab', lastName: 'Quill', phone: '+447700900123' })
  assert.equal(await birthday(lead), '1999-03-27')
  assert.equal((await changesOf(lead)).at(-1)?.operation, 'tenantPage details')
})

test('correcting details keeps the date of birth and the stored needs; a changed e-mail address ends the session and says so', async () => {
  const { lead, tenants } = await startHousehold(partner)
  const browser = await open(lead)
  await browser.open(page(lead, 'details'))
  await browser.send(words.continue, details)
  await browser.open(page(lead, 'code'))
  await enterCode(browser)
  await browser.open(`${page(lead, 'extra-help')}?do=register`)
  await browser.send(words.needs.button, { ...needs, categories: '08' })
  const { email } = (await customer(lead)).personalDetails
  const housemate = (await customer(tenants[1] ?? '')).personalDetails
  await browser.open(page(lead, 'details'))
  const same = { firstName: 'Zainab', lastName: 'Quill', email, phone: '+447700900123' }
  const taken = await browser.send(words.continue, { ...same, lastName: 'Quell', email: housemate.email, sure: 'yes' })
  assert.deepEqual(problemsOf(taken), { email: words.details.problems['/email'] })
  assert.match(taken.text, /value="Quell"/)

  await browser.send(words.continue, { ...same, lastName: 'Quell', email: email.toUpperCase() })
  assert.equal((await customer(lead)).personalDetails.lastName, 'Quell')
  assert.equal(await birthday(lead), '1999-03-27')
  const stored = 'select psr_given_at is not null as told from customers where customer_id = $1'
  assert.deepEqual(await rawRows(service, stored, [lead]), [{ told: true }])
  assert.equal((await browser.open(page(lead, 'details'))).path, page(lead, 'details'), 'the same address in capitals')

  const changed = { ...same, lastName: 'Quell', email: `new.${lead}@example.com` }
  const asked = await browser.send(words.continue, changed)
  assert.deepEqual(problemsOf(asked), { sure: words.details.sureProblem }, 'a mistyped address would be a stranger’s')
  assert.ok(asked.text.includes(words.details.sure(changed.email)))
  assert.equal((await customer(lead)).personalDetails.email, email.toUpperCase())
  const ended = await browser.send(words.continue, { ...changed, sure: 'yes' })
  assert.equal(headingOf(ended), words.details.changedTitle)
  assert.doesNotMatch(ended.text, new RegExp(words.signOut))
  assert.equal((await customer(lead)).personalDetails.email, changed.email)
  assert.equal((await browser.open(page(lead, 'details'))).status, 403)
})

test('details that are given while a link alone gives others are not replaced', async () => {
  const { lead, quoteId } = await startHousehold(partner, { tenants: 1 })
  const browser = await open(lead)
  await browser.open(page(lead, 'details'))
  const holder = new Client({ connectionString: service.connectionString })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select from quotes where quote_id = $1 for update', [quoteId])
    const sent = browser.send(words.continue, details)
    await waitForLockWaiters(holder, 1)
    await holder.query(`update customers set status = 'PersonalInfoComplete' where customer_id = $1`, [lead])
    await holder.query('commit')
    assert.equal((await sent).status, 422)
  } finally {
    await holder.end()
  }
  assert.notEqual((await customer(lead)).personalDetails.firstName, 'Zainab')
})

test('extra help: a need with its date, a contact and consent; replaced, withdrawn or skipped, and never shown again', async () => {
  const { lead } = await startHousehold(partner)
  const browser = await open(lead)
  await browser.open(page(lead, 'details'))
  const asked = await browser.send(words.continue, details)
  assert.equal((await browser.send(words.needs.skip)).path, page(lead, 'payments'))
  assert.match(asked.text, /call .*, or your network on 105/)
  const asks = await browser.open(`${page(lead, 'extra-help')}?do=register`)
  assert.equal(asks.path, `${page(lead, 'code')}?next=extra-help`, 'needs take a code')
  await enterCode(browser)
  await browser.open(`${page(lead, 'extra-help')}?do=register`)
  const { problems, extraProblem, dateProblem, contactProblems } = words.needs
  assert.ok((browser.page?.text ?? '').includes(words.privacy.whyNeeds))
  // Who receives health data is named, for each service of the home.
  assert.ok(
    (browser.page?.text ?? '').includes(
      'I agree that Sample Bills gives these details to Sample Power Limited, who supplies my electricity, the electricity network of my home (UK Power Networks), Sample Gas Limited, who supplies my gas and the gas network of my home, to register my needs.',
    ),
  )
  assert.match(
    browser.page?.text ?? '',
    /to you, or to a child you look after.*Another adult can register on their own pages, or by calling 105\./s,
  )
  for (const [changes, wrong] of [
    [{ categories: [] }, { categories: problems.categories }],
    [{ categories: '32' }, { 'until-32': extraProblem }],
    [{ categories: ['08', '32'], ...dateFields('until-32', '2020-02-01') }, { 'until-32': dateProblem }],
    [{ categories: '29', ...dateFields('born-29', '2030-02-01') }, { 'born-29': dateProblem }],
    [{ contactFirstName: '' }, { contactFirstName: contactProblems.firstName }],
    [{ contactLastName: '' }, { contactLastName: contactProblems.lastName }],
    [{ contactRelationship: '' }, { contactRelationship: contactProblems.relationship }],
    [{ contactPhone: '1' }, { contactPhone: contactProblems.phone }],
    [{ contactAgreed: [] }, { contactAgreed: contactProblems.consentGiven }],
    [{ consent: [] }, { consent: problems.consent }],
  ] as [Record<string, string | string[]>, Record<string, string>][]) {
    const shown = await browser.send(words.needs.button, { categories: '08', ...needs, ...changes })
    assert.deepEqual(problemsOf(shown), wrong)
    if (changes.contactFirstName !== '') assert.match(shown.text, /name="contactFirstName"[^>]*value="Sam"/)
  }
  const undated = problemsOf(await browser.send(words.needs.button, { categories: '32' }))
  assert.deepEqual(Object.keys(undated), ['until-32', ...Object.keys(needs)], 'all at once, in the order of the page')
  const none = problemsOf(await browser.send(words.needs.button))
  assert.deepEqual(Object.keys(none), ['categories', ...Object.keys(needs)])
  assert.equal(new Set(Object.values(none)).size, Object.keys(none).length, 'one message for each')
  const groups = [...(browser.page?.text ?? '').matchAll(/class="group">(.*?)</g)].map(([, group]) => group)
  assert.deepEqual(groups, Object.values(words.needs.groups))
  const register = { ...needs, categories: ['08', '32'], ...dateFields('until-32', '2027-02-01') }
  const saved = await browser.send(words.needs.button, register)
  assert.equal(saved.path, page(lead, 'payments'))

  const told = await browser.open(page(lead, 'extra-help'))
  for (const { text } of [told, await browser.open(`${page(lead, 'extra-help')}?do=register`)])
    assert.doesNotMatch(text, /checked|value="(Sam|Carer|sister|2027|\+44)/)
  assert.match(told.text, /You told us about your needs on 1 December 2026/)
  await browser.send(words.needs.button, { ...needs, categories: '35' })
  const exported = async () => succeeded(await partner.get(`/Customers/${lead}/export`))
  assert.match(JSON.stringify(await exported()), /"code":"35"/)
  await browser.open(page(lead, 'extra-help'))
  const withdrawn = await browser.send(words.needs.withdraw)
  assert.equal(noticeOf(withdrawn), words.notices.needs_withdrawn)
  assert.doesNotMatch(JSON.stringify(await exported()), /"code":"35"|Carer/)
  assert.doesNotMatch(withdrawn.text, /You told us/)
})

test('the lead tenant says whether they top up and when they move in if the partner has not, and whoever pays by key is warned', async () => {
  const household = await startHousehold(partner, { tenants: 2 })
  const [lead = '', mate = ''] = household.tenants
  const other = await open(mate)
  assert.ok(!(await other.open(page(mate, 'details'))).text.includes(words.details.topUp), 'only the lead is asked')
  const browser = await open(lead)
  assert.ok((await browser.open(page(lead, 'details'))).text.includes(words.details.topUp))
  const said = { ...details, topUp: 'prepayment', 'moveInDay-day': '28', 'moveInDay-month': '12' }
  const late = await browser.send(words.continue, { ...said, 'moveInDay-year': '2027' })
  assert.deepEqual(problemsOf(late), { moveInDay: words.details.moveInProblem })
  await browser.send(words.continue, { ...said, 'moveInDay-year': '2026' })
  const { moveIn } = succeeded(await partner.get(`/Quotes/${household.quoteId}/occupiers`))
  assert.deepEqual(moveIn, { date: '2026-12-28' })
  const payment = async ({ quoteId }: { quoteId: string }) =>
    succeeded(await partner.get(`/Quotes/${quoteId}`)).meter?.payment
  assert.equal(await payment(household), 'prepayment')

  const known = await startHousehold(partner, {
    tenants: 1,
    meter: { payment: 'prepayment', heating: 'heat_network' },
    packages: ['electricity'],
    moveIn: { date: '2026-12-30' },
  })
  const third = await open(known.lead)
  assert.ok((await third.open(page(known.lead, 'welcome'))).text.includes(words.heatNetwork))
  const asked = (await third.open(page(known.lead, 'details'))).text
  assert.deepEqual(
    [words.details.topUp, words.details.moveInDay].map((question) => asked.includes(question)),
    [false, false],
  )
  await third.send(words.continue, { ...details, topUp: 'credit' })
  assert.equal(await payment(known), 'prepayment', 'the word of the partner counts')
  await onboard(partner, known.lead)
  const signed = await open(known.lead)
  await signed.open(page(known.lead, 'code'))
  await enterCode(signed)
  for (const name of ['done', 'home'])
    assert.ok((await signed.open(page(known.lead, name))).text.includes(words.doNotTopUp), name)
})

test('a link alone does not say whether needs were given', async () => {
  const [, tenant = ''] = (await startHousehold(partner, { tenants: 2 })).tenants
  const shown = async () => {
    const browser = await open(tenant)
    const texts: string[] = []
    for (const name of ['extra-help', 'payments', 'card']) texts.push((await browser.open(page(tenant, name))).text)
    return texts.map((text) => text.replaceAll(/value="[0-9a-f]{64}"/g, ''))
  }
  const browser = await open(tenant)
  await browser.open(page(tenant, 'details'))
  await browser.send(words.continue, details)
  const before = await shown()
  const confirmed = await open(tenant)
  await confirmed.open(page(tenant, 'code'))
  await enterCode(confirmed)
  await confirmed.open(`${page(tenant, 'extra-help')}?do=register`)
  await confirmed.send(words.needs.button, { ...needs, categories: '08' })
  assert.match((await confirmed.open(page(tenant, 'extra-help'))).text, /You told us about your needs/)
  assert.deepEqual(await shown(), before)
})

test('extra help is asked only with electricity or gas, and early supply only where it would begin within the 14 days', async () => {
  const { lead } = await startHousehold(partner, { packages: ['broadband'], products: ['fibre-150'], tenants: 1 })
  const browser = await open(lead)
  const first = await browser.open(page(lead, 'details'))
  assert.match(first.text, new RegExp(words.stepOf(1, 4)))
  assert.equal((await browser.send(words.continue, details)).path, page(lead, 'payments'))
  assert.equal((await browser.open(page(lead, 'extra-help'))).path, page(lead, 'payments'))
  assert.equal((await browser.open(page(lead, 'early-supply'))).path, page(lead, 'payments'))

  const soon = await startHousehold(partner, { contractStartDate: '2026-12-10', tenants: 1 })
  const other = await open(soon.lead)
  await other.open(page(soon.lead, 'details'))
  await other.send(words.continue, details)
  const asked = await other.send(words.needs.skip)
  assert.equal(asked.path, page(soon.lead, 'early-supply'))
  assert.doesNotMatch(asked.text, /checked/)
  assert.deepEqual(problemsOf(await other.send(words.continue)), { choice: words.earlySupply.problem })
  for (const later of ['payments', 'card', 'agree'])
    assert.match((await other.open(page(soon.lead, later))).path, /early-supply|code/)
  await other.open(page(soon.lead, 'early-supply'))
  const waits = await other.send(words.continue, { choice: 'wait' })
  assert.equal(headingOf(waits), words.earlySupply.waitTitle)
  const requested = 'select supply_during_cancellation as requested from customers where customer_id = $1'
  assert.deepEqual(await rawRows(service, requested, [soon.lead]), [{ requested: false }])
  await other.open(page(soon.lead, 'early-supply'))
  assert.equal((await other.send(words.continue, { choice: 'early' })).path, page(soon.lead, 'payments'))
  assert.deepEqual(await rawRows(service, requested, [soon.lead]), [{ requested: true }])

  const household = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, household.lead, { contractStartDate: '2026-12-10' }))
  const third = await open(household.lead)
  await third.open(page(household.lead, 'early-supply'))
  await third.send(words.continue, { choice: 'wait' })
  const { laterButton, laterProblem, notLater, tooLate } = words.earlySupply
  const notAfterPresent = notLater('2026-12-10' as IsoDate)
  const unconfirmed = await third.send(laterButton, dateFields('start', '2027-02-01'))
  assert.equal(unconfirmed.path, `${page(household.lead, 'code')}?next=early-supply`)
  await enterCode(third)
  await third.send(words.continue, { choice: 'wait' })
  for (const [day, problem] of [
    ['2026-13-01', pageWords.noSuchDay],
    ['2026-11-01', notAfterPresent],
    ['2026-12-09', notAfterPresent],
    ['2026-12-10', notAfterPresent],
    ['2036-12-10', laterProblem],
  ] as const)
    assert.deepEqual(problemsOf(await third.send(laterButton, dateFields('start', day))), { start: problem }, day)
  const moved = await third.send(laterButton, dateFields('start', '2027-02-01'))
  assert.equal(moved.path, page(household.lead, 'payments'), 'supply no longer begins within the 14 days')
  const { contractStartDate } = succeeded(await partner.get(`/Quotes/${household.quoteId}`))
  assert.equal(contractStartDate, '2027-02-01')

  const short = await startHousehold(partner, { tenants: 1, contractEndDate: '2027-06-30' })
  succeeded(await finalise(partner, short.lead, { contractStartDate: '2026-12-10' }))
  const fourth = await open(short.lead)
  await fourth.open(page(short.lead, 'code'))
  await enterCode(fourth)
  await fourth.open(`${page(short.lead, 'early-supply')}?choice=wait`)
  const late = await fourth.send(laterButton, dateFields('start', '2027-06-29'))
  assert.deepEqual(problemsOf(late), { start: tooLate })
})

test('the welcome and the payments are those of the API, to the penny', async () => {
  for (const options of [
    { tenants: 3 },
    { tenants: 1, packages: ['electricity', 'gas', 'broadband'], products: ['fibre-150'] },
    {
      tenants: 2,
      packages: ['broadband'],
      products: ['fibre-150'],
      contractStartDate: '2027-01-31',
      contractEndDate: '2027-02-27',
    },
  ] as const) {
    const { lead } = await startHousehold(partner, options)
    succeeded(await finalise(partner, lead))
    const browser = await open(lead)
    const cost = succeeded(await partner.get(`/Customers/${lead}/total-cost`))
    const welcome = await browser.open(page(lead, 'welcome'))
    const { yourPrice, yourShare } = words.welcome
    assert.equal(rowsOf(welcome)[options.tenants === 1 ? yourPrice : yourShare], `${pounds(cost.monthlyCost)} a month`)
    const setUp = cost.setupCost === 0 ? '' : `, with set-up of ${pounds(cost.setupCost)}`
    assert.equal(rowsOf(welcome)[words.welcome.inTotal], `${pounds(cost.totalCost)}${setUp}`)
    assert.equal(welcome.text.includes(words.welcome.ownShare), options.tenants > 1)
    const shown = await browser.open(page(lead, 'payments'))
    assert.equal(shown.path, page(lead, 'payments'))
    const { payments } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`)).paymentSchedule
    assert.deepEqual(
      tableOf(shown).map((cells) => cells[2]),
      payments.map(({ amount }) => pounds(amount)),
    )
    for (const { text } of [welcome, shown]) assert.ok(payments.length > 1 || !/first payment/i.test(text))
    const total = payments.reduce((sum, { amount }) => sum + amount, 0)
    assert.equal(total, cost.totalCost)
    assert.ok(shown.text.includes(`<td class="sum">${pounds(total)}</td></tr></tfoot>`))
  }
})

test('prices that have run out, and a contract that came to nothing, are said on the first page, with the way on', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await startHousehold(own, { tenants: 2 })
  await onboard(own, lead)
  await advanceClock(own, { days: 30 })
  const browser = await open(lead, { own, withCode: true })
  const first = await browser.open(page(lead, ''))
  assert.equal(headingOf(first), words.welcome.expiredTitle)
  assert.ok(first.text.includes(words.home.states.lapsed.sentence()))
  for (const later of ['payments', 'card', 'agree'])
    assert.equal((await browser.open(page(lead, later))).path, page(lead, 'welcome'), later)
  assert.match(noticeOf(await browser.send(words.welcome.renew)) ?? '', /£[\d.]+ a month/)

  const fresh = await startHousehold(own, { tenants: 1, contractStartDate: '2027-03-01' })
  const other = await open(fresh.lead, { own })
  await expire(own, fresh.quoteId)
  assert.equal(headingOf(await other.open(page(fresh.lead, ''))), words.welcome.expiredTitle)
  const told = noticeOf(await other.send(words.welcome.renew))
  const { monthlyCost } = succeeded(await own.get(`/Customers/${fresh.lead}/total-cost`))
  assert.equal(told, words.notices.price_unchanged(monthlyCost))
  assert.equal(headingOf(await other.open(page(fresh.lead, 'welcome'))), words.welcome.title(''))

  const short = { contractStartDate: '2027-01-20', contractEndDate: '2027-02-20' }
  const over = await startHousehold(own, { tenants: 1, ...short })
  await advanceClock(own, { days: 40 })
  const last = await open(over.lead, { own })
  assert.equal(headingOf(await last.open(page(over.lead, ''))), words.welcome.expiredTitle)
  const ended = await last.send(words.welcome.renew)
  assert.ok(ended.text.includes(words.welcome.offerOver))
  assert.ok(!ended.text.includes(words.welcome.renew), 'there is nothing more to press')
})

test('the household: first names and no more, only after a code; the lead adds, corrects and removes, and says when all are here', async () => {
  const { lead, tenants, quoteId } = await startHousehold(partner, {
    tenants: [
      { name: 'Lena Lead', email: 'lena@example.com' },
      { name: 'Moe Mate', email: 'moe@example.com' },
    ],
  })
  const mate = tenants[1] ?? ''
  const names = async () => (await getQuote(partner, quoteId)).tenants.map(({ email }) => email)
  const others = await open(mate)
  succeeded(await finalise(partner, mate, { firstName: 'Moe', lastName: 'Mate', email: 'moe@example.com' }))
  succeeded(await finalise(partner, lead, { firstName: 'Lena', lastName: 'Lead', email: 'lena@example.com' }))
  const waiting = await others.open(page(mate, 'card'))
  assert.ok(waiting.text.includes(words.household.waitsFor(words.household.somebody)))
  assert.doesNotMatch(waiting.text, /Lena/)
  assert.equal((await others.open(page(mate, 'household'))).path, `${page(mate, 'code')}?next=household`)
  const seen = await enterCode(others)
  assert.match(seen.text, /Lena<.*?not yet/s)
  assert.doesNotMatch(seen.text, /Lead|@example|<form method="post" novalidate/)
  assert.match((await others.open(page(mate, 'card'))).text, /Lena leads your household/)
  const [, formToken = ''] = /name="formToken" value="([^"]+)"/.exec(seen.text) ?? []
  const housemate = { name: 'Nia New', email: 'nia@example.com', permission: 'yes' }
  const forged = await others.post(page(mate, 'household'), { formToken, do: 'add', ...housemate })
  assert.equal(forged.status, 422)
  assert.equal((await names()).length, 2, 'only the lead tenant changes the household')
  const nosy = await others.open(`${page(mate, 'household')}?tenant=${lead}`)
  assert.doesNotMatch(nosy.text, /Lead|@example|<form method="post" novalidate/, 'nor sees more of anybody')

  const browser = await open(lead)
  assert.equal((await browser.open(page(lead, 'card'))).path, `${page(lead, 'code')}?next=household`)
  assert.match((await enterCode(browser)).text, new RegExp(words.household.question.replace('?', '\\?')))
  const { nameProblem, emailProblem, permissionProblem, sureProblem } = words.household
  for (const [changes, wrong] of [
    [{ name: '' }, { name: nameProblem }],
    [{ email: 'nia' }, { email: emailProblem }],
    [{ email: 'MOE@example.com' }, { email: emailProblem }],
    [{ permission: '' }, { permission: permissionProblem }],
    [{ email: 'nia@gmail.con' }, { sure: sureProblem }],
  ] as const) {
    const shown = await browser.send(words.household.addButton, { ...housemate, ...changes })
    assert.deepEqual(problemsOf(shown), wrong)
    assert.ok(shown.text.includes({ ...housemate, ...changes }.name))
  }
  assert.ok(browser.page?.text.includes(words.household.sure('nia@gmail.con')))
  assert.equal(noticeOf(await browser.send(words.household.addButton, housemate)), words.notices.link_by_partner)
  assert.deepEqual(await names(), ['lena@example.com', 'moe@example.com', 'nia@example.com'])
  const added = (await getQuote(partner, quoteId)).tenants[2]?.tenantId ?? ''
  const theirs = await open(added)
  await browser.open(`${page(lead, 'household')}?tenant=${added}`)
  const corrected = { ...housemate, name: 'Nia Newer', email: 'nia.newer@example.com' }
  assert.equal(noticeOf(await browser.send(words.save, corrected)), words.notices.link_by_partner)
  assert.deepEqual(await names(), ['lena@example.com', 'moe@example.com', 'nia.newer@example.com'])
  assert.equal((await theirs.open(page(added, 'welcome'))).status, 403, 'a correction ends their link')
  assert.equal((await browser.open(`${page(lead, 'household')}?tenant=${added}`)).text.includes('Nia'), true)
  const again = (await getQuote(partner, quoteId)).tenants[2]?.tenantId ?? ''
  await browser.open(`${page(lead, 'household')}?tenant=${again}`)
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [again] }))
  assert.equal(noticeOf(await browser.send(words.household.remove)), words.notices.not_found)

  const master = await browser.open(`${page(lead, 'household')}?tenant=${mate}`)
  assert.ok(master.text.includes(words.household.confirmedAlready))
  assert.doesNotMatch(master.text, /Mate|moe@/)
  await browser.open(page(lead, 'household'))
  const [, token = ''] = /name="formToken" value="([^"]+)"/.exec(browser.page?.text ?? '') ?? []
  const removal = { formToken: token, do: 'remove' }
  const refused = await browser.post(`${page(lead, 'household')}?tenant=${mate}`, removal)
  assert.equal(refused.status, 422)
  assert.ok(refused.text.includes(words.household.confirmedAlready))
  assert.deepEqual(await names(), ['lena@example.com', 'moe@example.com'])
  await browser.open(page(lead, 'household'))
  const unseen = { ...housemate, permission: undefined }
  succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: [unseen] }))
  const changed = await browser.send(words.household.everybody)
  assert.deepEqual(problemsOf(changed), { people: words.household.changed })
  assert.match(changed.text, /Nia/)
  assert.equal((await getQuote(partner, quoteId)).householdComplete, false)
  const nia = (await getQuote(partner, quoteId)).tenants[2]?.tenantId
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [nia] }))
  await browser.open(page(lead, 'household'))
  const card = await browser.send(words.household.everybody)
  assert.equal(card.path, page(lead, 'card'))
  assert.equal((await getQuote(partner, quoteId)).householdComplete, true)
  assert.equal(headingOf(await others.open(page(mate, 'card'))), words.card.title)
  await others.send(words.card.button)
  const locked = await browser.open(page(lead, 'household'))
  assert.match(locked.text, /fixed until .*must be opened again/)
  assert.doesNotMatch(locked.text, /name="email"/)
  const stale = await browser.post(page(lead, 'household'), {
    formToken: /name="formToken" value="([^"]+)"/.exec(locked.text)?.[1] ?? '',
    do: 'add',
    ...housemate,
  })
  assert.equal(noticeOf(stale), words.notices.quote_locked)
})

test('what tenants send to others has caps a day, said on the page; their names bring no address', async () => {
  const own = await connectNewPartner(service)
  const { lead, quoteId } = await startHousehold(own, { tenants: 1 })
  const atHousehold = async () => {
    const opened = await open(lead, { own })
    await opened.open(page(lead, 'household'))
    await enterCode(opened)
    return opened
  }
  const browser = await atHousehold()
  const mate = { name: 'Nia New', email: 'nia@example.com', permission: 'yes' }
  for (const name of [
    'Win at https://evil.example',
    'www.evil.example',
    'nia@evil.example',
    'Go to evil.com',
    'EVIL.COM',
  ])
    assert.deepEqual(problemsOf(await browser.send(words.household.addButton, { ...mate, name })), {
      name: words.household.nameProblem,
    })
  const add = (changes: object = {}, at = browser) => at.send(words.household.addButton, { ...mate, ...changes })
  const last = async () => (await getQuote(own, quoteId)).tenants.at(-1)?.tenantId ?? ''
  for (let count = 0; count < 3; count += 1) {
    assert.equal(noticeOf(await add()), words.notices.link_by_partner)
    const named = await rawRows(service, 'select named_by_tenant from customers where customer_id = $1', [await last()])
    assert.deepEqual(named, [{ named_by_tenant: true }])
    await browser.open(`${page(lead, 'household')}?tenant=${await last()}`)
    await browser.send(words.household.remove)
  }
  const refused = await add()
  assert.equal(refused.status, 429)
  assert.equal(noticeOf(refused), pageWords.notices.rate_limited(86_400))
  assert.equal((await getQuote(own, quoteId)).tenants.length, 1)
  // As if nine other people had been invited.
  await rawRows(
    service,
    `insert into caused_mails (partner_id, quote_id, caused_by, kind, email_hash, caused_at, meets_cap)
     select partner_id, quote_id, caused_by, kind, email_hash || i, caused_at, false
       from (select * from caused_mails where quote_id = $1 limit 1) c, generate_series(1, 9) i`,
    [quoteId],
  )
  assert.equal((await add({ email: 'other@example.com' })).status, 429)
  await advanceClock(own, { days: 1 })
  const nextDay = await atHousehold()
  assert.equal(noticeOf(await add({}, nextDay)), words.notices.link_by_partner)
})

/** A tenant alone in a household that is complete, who has given details. */
async function atCard(
  own = partner,
  options: object = {},
): Promise<{ lead: string; quoteId: string; browser: TenantBrowser }> {
  const { lead, quoteId } = await startHousehold(own, { tenants: 1, ...options })
  succeeded(await own.patch(`/Quotes/${quoteId}`, { householdComplete: true }))
  succeeded(await finalise(own, lead))
  return { lead, quoteId, browser: await open(lead, { own }) }
}

test('the card: no page’s GET makes a setup intent; declined, authentication, saved, and another card only with a code', async () => {
  const { lead, browser } = await atCard()
  for (const name of ['', 'welcome', 'details', 'extra-help', 'payments', 'card', 'agree', 'household', 'home', 'done'])
    await browser.open(page(lead, name))
  assert.equal(await setupIntents(lead), 0)
  const shown = await browser.open(page(lead, 'card'))
  const { payments } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`)).paymentSchedule
  assert.ok(shown.text.includes(`takes ${pounds(payments[0]?.amount ?? 0)} from this card`))
  assert.ok(shown.text.includes(words.card.fixesForOne))
  const entry = await browser.send(words.card.button)
  const [, intent = ''] = /^\/sandbox\/card-setup\/(seti_\w+)$/.exec(entry.path) ?? []
  assert.doesNotMatch(entry.path, /secret/, 'the secret is no part of what servers log')
  const confirm = async (paymentMethod: string) =>
    succeeded(await partner.post(`/Sandbox/setup-intents/${intent}/confirm`, { paymentMethod }))
  assert.ok((await browser.open(page(lead, 'card'))).text.includes(words.card.waiting))
  await confirm('pm_card_chargeDeclined')
  await partner.post(`/Customers/${lead}/create-setup-intent`)
  assert.ok((await browser.open(page(lead, 'card'))).text.includes(words.card.declined))
  assert.equal((await browser.send(words.card.tryAgain)).path, `/sandbox/card-setup/${intent}`, 'the same intent')
  await confirm('pm_card_authenticationRequired')
  await partner.post(`/Customers/${lead}/create-setup-intent`)
  assert.equal((await browser.open(page(lead, 'agree'))).path, `${page(lead, 'code')}?next=agree`)
  succeeded(await partner.post(`/Sandbox/setup-intents/${intent}/authenticate`, { outcome: 'failed' }))
  await partner.post(`/Customers/${lead}/create-setup-intent`)
  const unconfirmed = await browser.open(page(lead, 'card'))
  assert.match(unconfirmed.text, /The bank could not confirm that the card holder/)
  assert.doesNotMatch(unconfirmed.text, /was declined/)
  await confirm('pm_card_authenticationRequired')
  await partner.post(`/Customers/${lead}/create-setup-intent`)
  succeeded(await partner.post(`/Sandbox/setup-intents/${intent}/authenticate`, { outcome: 'passed' }))
  await partner.post(`/Customers/${lead}/create-setup-intent`)
  const saved = await browser.open(page(lead, 'card'))
  assert.ok(saved.text.includes(words.card.savedUnnamed))
  assert.doesNotMatch(saved.text, /\d{4} is saved/, 'a link alone does not show which card')
  assert.equal((await browser.send(words.card.another)).path, `${page(lead, 'code')}?next=card`)
  assert.equal(await setupIntents(lead), 1)
  const known = await enterCode(browser)
  assert.match(known.text, /ending \d{4} is saved/)
  assert.match((await browser.send(words.card.another)).path, /^\/sandbox\/card-setup\/seti_/)
  assert.equal(await setupIntents(lead), 2)
})

test('while the processor is down, a card cannot be added, the household is not locked, and the page says what to do', async () => {
  const own = await connectNewPartner(service)
  const { lead, quoteId, browser } = await atCard(own)
  succeeded(await own.post('/Sandbox/payment-processor/outage', { down: true }))
  await browser.open(page(lead, 'card'))
  const failed = await browser.send(words.card.button)
  assert.equal(noticeOf(failed), pageWords.notices.service_unavailable)
  assert.equal(failed.path, page(lead, 'card'))
  assert.equal(failed.status, 503)
  assert.match(failed.headers.get('retry-after') ?? '', /^\d+$/)
  assert.notEqual((await getQuote(own, quoteId)).status, 'active')
  succeeded(await own.post('/Sandbox/payment-processor/outage', { down: false }))
  await browser.open(page(lead, 'card'))
  assert.match((await browser.send(words.card.button)).path, /^\/sandbox\/card-setup\/seti_/)
})

test('looking again for a card that is there locks no household that is open again', async () => {
  const own = await connectNewPartner(service)
  const { lead, quoteId } = await atCard(own)
  await attachCard(own, lead)
  await advanceClock(own, { days: 15 })
  const browser = await open(lead, { own })
  await browser.open(page(lead, ''))
  await browser.send(words.welcome.renew)
  const { text } = await browser.open(page(lead, 'card'))
  assert.ok(text.includes(words.card.savedUnnamed))
  const [, formToken = ''] = /name="formToken" value="([^"]+)"/.exec(text) ?? []
  assert.equal((await browser.post(page(lead, 'card'), { formToken, do: 'look' })).path, page(lead, 'card'))
  const { status, householdComplete } = await getQuote(own, quoteId)
  assert.ok(householdComplete)
  assert.notEqual(status, 'active')
})

test('agreeing: what the block and the button said is the evidence, bound to the draft that was shown', async () => {
  const { lead, quoteId, browser } = await atCard()
  await attachCard(partner, lead)
  await browser.open(page(lead, 'code'))
  await enterCode(browser)
  const share = async () => succeeded(await partner.get(`/Customers/${lead}/total-cost`))
  const button = words.agree.button(words.price((await share()) as never, 12))
  const first = await browser.open(page(lead, 'agree'))
  assert.doesNotMatch(first.text, /checked/)
  succeeded(await partner.patch(`/Customers/${lead}`, { lastName: 'Renamed' }))
  const changed = await browser.send(button)
  assert.equal(changed.path, page(lead, 'agree'))
  assert.equal(changed.status, 422)
  assert.equal(noticeOf(changed), words.notices.terms_changed)
  assert.equal((await customer(lead)).contract, null)

  const rows = rowsOf(changed)
  const done = await browser.send(button)
  assert.equal(headingOf(done), words.done.title)
  assert.equal(done.path, page(lead, 'done'))
  assert.match(
    done.text,
    /Until \d+ \w+ \d{4}, the home’s present supplier supplies you\. Read the meters on the day you get the keys, and tell that supplier your name\./,
  )
  assert.doesNotMatch(done.text, /nothing to do/)
  const { contract, status } = await customer(lead)
  assert.deepEqual([status, contract?.status], ['OnboardingComplete', 'in_force'])
  const exported = succeeded(await partner.get(`/Customers/${lead}/export`))
  const [acceptance] = exported.acceptances
  const { shownText = '', tenantIp } = acceptance ?? {}
  assert.equal(
    shownText,
    [...Object.entries(rows).map(([label, value]) => `${label}: ${value}`), `[${button}]`].join('\n'),
  )
  assert.match(shownText ?? '', new RegExp(pounds((await share()).totalCost).replace('.', '\\.')))
  assert.equal(tenantIp, '127.0.0.1')
  assert.deepEqual((await changesOf(lead)).at(-1)?.operation, 'tenantPage agree')
  assert.equal((await getQuote(partner, quoteId)).status, 'completed')
  assert.equal((await browser.open(page(lead, 'agree'))).path, page(lead, 'home'), 'it cannot be agreed to twice')
})

test('agreeing: who signs is shown with a way to change it, the date of birth too; a changed price is told as one, and the end of the lock as that', async () => {
  const own = await connectNewPartner(service)
  const { lead, quoteId } = await atCard(own)
  await attachCard(own, lead)
  const browser = await open(lead, { own, withCode: true })
  const first = await browser.open(page(lead, 'agree'))
  const { firstName, lastName, email, phone } = (await customer(lead, own)).personalDetails
  for (const shown of [`${firstName} ${lastName}`, email, phone])
    assert.ok(first.text.includes(`: ${shown}</span>`), shown)
  assert.doesNotMatch(first.text, /(?:19|20)\d\d-\d\d-\d\d</, 'the date of birth is not shown')
  assert.match(keyFactOf(first, 'If you change your mind'), /You can cancel on your pages/)
  const draft = await browser.open(page(lead, 'draft-html'))
  assert.ok(draft.text.includes(`<a href="/my-bills/${lead}/">Back to your pages</a>`))

  await browser.open(`${page(lead, 'details')}?from=agree`)
  const same = { firstName, lastName, email, phone }
  assert.equal(noticeOf(await browser.send(words.continue, same)), words.notices.unchanged)
  await browser.open(`${page(lead, 'details')}?from=agree`)
  const young = await browser.send(words.continue, { ...same, ...dateFields('dateOfBirth', '2015-02-03') })
  assert.deepEqual(problemsOf(young), { dateOfBirth: words.details.problems['/dateOfBirth'] })
  const back = await browser.send(words.continue, { ...same, ...dateFields('dateOfBirth', '1998-04-05') })
  assert.equal(back.path, page(lead, 'agree'))
  const exported = succeeded(await own.get(`/Customers/${lead}/export`))
  assert.equal(exported.personalDetails.dateOfBirth, '1998-04-05')

  const cost = succeeded(await own.get(`/Customers/${lead}/total-cost`))
  const { monthlyCost } = cost
  const button = words.agree.button(words.price(cost as never, 12))
  const form = (browser.page?.text ?? '').replace(
    `name="monthlyCost" value="${monthlyCost}"`,
    'name="monthlyCost" value="4920"',
  )
  const asShown = form.replace(/name="shownHash" value="\w+"/, 'name="shownHash" value="before"')
  browser.page = { ...back, text: asShown }
  assert.equal(noticeOf(await browser.send(button)), words.notices.price_changed(4920, monthlyCost))
  const { text } = browser.page
  const unlocked = text.replace(
    /name="lockedUntil" value="[^"]*"/,
    'name="lockedUntil" value="2026-11-30T00:00:00.000Z"',
  )
  await rawRows(service, `update quotes set locked_until = null, stage = 'open' where quote_id = $1`, [quoteId])
  browser.page = { ...back, text: unlocked.replace(/name="shownHash" value="\w+"/, 'name="shownHash" value="before"') }
  assert.equal(noticeOf(await browser.send(button)), words.notices.lock_ended)
})
const keyFactOf = (opened: OpenedPage, label: string) => rowsOf(opened)[label] ?? ''

test('agreeing is bound to the words of the page where the draft’s hash is not: when housemates can sign until', async () => {
  const { lead, tenants, quoteId } = await startHousehold(partner, { tenants: 2 })
  succeeded(await partner.patch(`/Quotes/${quoteId}`, { householdComplete: true }))
  const other = tenants[1] ?? ''
  for (const tenant of tenants) {
    succeeded(await finalise(partner, tenant))
    await attachCard(partner, tenant)
  }
  const browser = await open(lead, { withCode: true })
  await browser.open(page(lead, 'agree'))
  const button = words.agree.button(
    words.price(succeeded(await partner.get(`/Customers/${lead}/total-cost`)) as never, 12),
  )
  succeeded(await partner.post(`/Customers/${other}/accept-terms`))
  const changed = await browser.send(button)
  assert.equal(noticeOf(changed), words.notices.terms_changed)
  assert.equal((await customer(lead)).contract, null)
  await browser.send(button)
  assert.equal((await customer(lead)).contract?.status, 'in_force')
})

test('every page leads to how data is used, which names both controllers, the source, the days and how to complain', async () => {
  const { lead, tenants } = await startHousehold(partner, { tenants: 2 })
  const other = tenants[1] ?? ''
  const browser = await open(other)
  const reads = (text: string, sentences: readonly string[]) => {
    for (const each of sentences) assert.ok(text.includes(each), each)
  }
  const { privacy } = words
  for (const name of ['welcome', 'details', 'complaints'])
    reads((await browser.open(page(other, name))).text, [`<a href="${page(other, 'privacy')}">${privacy.link}</a>`])
  reads((await browser.open(page(other, 'details'))).text, [privacy.whyBirthday])
  const shown = await browser.open(page(other, 'privacy'))
  assert.match(shown.text, /Sample Bills decides how .* decides about its own list of tenants\. Each is a controller/)
  reads(shown.text, [
    privacy.kept(90),
    'Information Commissioner’s Office',
    'Sample Bills uses your details to supply the services',
    ' gave us your name and e-mail address.',
  ])
  succeeded(await finalise(partner, lead))
  succeeded(await partner.patch(`/Quotes/${(await customer(lead)).quoteId}`, { householdComplete: true }))
  const atCard = await open(lead)
  reads((await atCard.open(page(lead, 'card'))).text, [privacy.whyCard])
  const everybody = await (await fetch(`${service.baseUrl}/privacy`)).text()
  reads(everybody, [privacy.kept(90), privacy.who('Sample Bills', privacy.anyPartner), 'href="/privacy"'])
  const terms = await (await fetch(`${service.baseUrl}/terms/unknown`)).text()
  reads(terms, ['href="/privacy"'])
})

test('the welcome says what the operator pays the partner who introduced the tenant', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await startHousehold(own, { tenants: 1 })
  const welcome = async () => (await (await open(lead, { own })).open(page(lead, 'welcome'))).text
  assert.doesNotMatch(await welcome(), /introduced you/)
  const day = '2026-11-01'
  for (const [tiers, words] of [
    [[{ upTo: null, basisPoints: null, amount: 2_500 }], '£25.00 for that.'],
    [[{ upTo: null, basisPoints: 250, amount: null }], '2.5% of your price without VAT for that.'],
    [
      [
        { upTo: 10, basisPoints: null, amount: 2_500 },
        { upTo: null, basisPoints: null, amount: 3_000 },
      ],
      '£25.00 or £30.00, depending on how many tenants it introduces, for that.',
    ],
  ] as const) {
    await rawRows(
      service,
      `insert into commission_terms (partner_id, first_day, tiers, recorded_at)
         select partner_id, $2, $3::jsonb, now() from customers where customer_id = $1`,
      [lead, day, JSON.stringify(tiers)],
    )
    const text = await welcome()
    assert.match(text, /introduced you to Sample Bills, and Sample Bills pays /)
    assert.ok(text.includes(` ${words}`), words)
    assert.doesNotMatch(text, /does not change your price/)
  }
})

test('who takes over a share sees their own first day and price, and nobody else', async () => {
  const { joiner } = await startReplacement(partner, { from: '2027-03-01', tenants: 3 })
  const browser = await open(joiner)
  const share = succeeded(await partner.get(`/Customers/${joiner}/total-cost`))
  const welcome = await browser.open(page(joiner, 'welcome'))
  assert.ok(welcome.text.includes(words.welcome.takesOver('2027-03-01' as never)))
  assert.deepEqual(
    [rowsOf(welcome)[words.welcome.yourShare], rowsOf(welcome)[words.welcome.dates]],
    [
      `${pounds(share.monthlyCost)} a month`,
      'Until 12 January 2028, or until your tenancy ends: 1 March 2027 to 12 January 2028',
    ],
  )
  await browser.open(page(joiner, 'code'))
  await enterCode(browser)
  assert.equal((await browser.open(page(joiner, 'household'))).path, page(joiner, 'welcome'))
  await join(partner, joiner)
  const { text } = await (await open(joiner, { withCode: true })).open(page(joiner, 'done'))
  assert.ok(text.includes(words.done.mail) && text.includes(words.done.readings))
  assert.doesNotMatch(text, /present supplier/, 'we supply the home already')
})
