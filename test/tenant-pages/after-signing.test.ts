import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Contract } from '../../src/contracts/contract.ts'
import { type MailContext, tenantMailWords } from '../../src/contracts/mails/tenant-mail-words.ts'
import type { Settlement } from '../../src/contracts/termination/settle-contract.ts'
import { tenancyEndsInWords } from '../../src/contracts/terms/fees-in-words.ts'
import { words as pageWords } from '../../src/pages/words.ts'
import type { IsoDate } from '../../src/platform/kernel/dates.ts'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { endingInWords } from '../../src/tenant-pages/after-signing/ending.ts'
import { words } from '../../src/tenant-pages/words.ts'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, type HouseholdOptions, onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, getQuote, testTime } from '../support/quote-fixtures.ts'
import { join } from '../support/replacements.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'
import {
  dateFields,
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

const page = (customerId: string, name: string) => `/my-bills/${customerId}/${name}`
const customer = async (own: Partner, customerId: string) => succeeded(await own.get(`/Customers/${customerId}`))
const pounds = (pence: number) => `£${(pence / 100).toLocaleString('en-GB', { minimumFractionDigits: 2 })}`
/** The last operation of a tenant's page that changed something of the customer, in the audit log. */
const lastChange = async (customerId: string) =>
  (
    await rawRows(
      service,
      `select operation from audit_log where customer_id = $1 and actor = 'tenant'
        and action in ('created', 'changed', 'removed') order by entry_number desc limit 1`,
      [customerId],
    )
  )[0]?.operation

/** A household of an own partner, of which the first `signed` tenants have signed, and the lead's pages with a code. */
async function signed(options: HouseholdOptions & { signed?: number } = {}) {
  const { signed: count = Number.POSITIVE_INFINITY, ...rest } = options
  const own = await connectNewPartner(service)
  const household = await startHousehold(own, { tenants: 1, ...rest })
  for (const tenant of household.tenants.slice(0, count)) await onboard(own, tenant, { supplyDuringCancellation: true })
  const browser = await openPages(service, own, household.lead, { withCode: true })
  return { own, ...household, browser }
}
/** A household of one whose contract runs from 3 December 2026, of which it is the fifth day. */
async function supplied() {
  const household = await signed({ contractStartDate: '2026-12-03' })
  return { ...household, browser: await later(household, 6) }
}
/** The lead's pages some days later: a session lasts for hours. */
async function later({ own, lead }: { own: Partner; lead: string }, days: number): Promise<TenantBrowser> {
  await advanceClock(own, { days })
  return openPages(service, own, lead, { withCode: true })
}
const menuOf = ({ text }: OpenedPage) =>
  [...text.matchAll(/<li><a href="\/my-bills\/tenant_\w+\/([a-z.-]+)"/g)].map(([, name = '']) => name)

const always = ['contract-html', 'contract-pdf', 'card', 'details', 'complaints']
const binding = [...always, 'calendar.ics', 'extra-help']
/** What a tenant can do in each state of their contract. */
const states: [what: string, state: keyof typeof words.home.states, menu: string[], how: () => Promise<Home>][] = [
  ['agreed', 'agreed', [...binding, 'household', 'cancel'], () => signed({ tenants: 2, signed: 1 })],
  ['in force', 'in_force', [...binding, 'meter-readings', 'cancel', 'hand-over', 'leave'], () => signed()],
  [
    'in force after the 14 days',
    'in_force',
    [...binding, 'meter-readings', 'hand-over', 'leave'],
    async () => {
      const household = await signed()
      const { own, lead } = household
      const { contractNumber, effectiveAt: sentAt } = (await customer(own, lead)).contract ?? {}
      const path = `/Customers/${lead}/contracts/${contractNumber}/confirmation-sent` as const
      succeeded(await own.post(path, { sentAt }))
      return { ...household, browser: await later(household, 20) }
    },
  ],
  [
    'after a notice',
    'in_force',
    [...binding, 'meter-readings', 'cancel', 'hand-over'],
    async () => {
      const household = await signed()
      succeeded(await household.own.post(`/Customers/${household.lead}/end-contract`, { endDate: '2027-06-30' }))
      return household
    },
  ],
  [
    'cancelled',
    'cancelled',
    [...always, 'meter-readings'],
    async () => {
      const household = await signed()
      succeeded(await household.own.post(`/Customers/${household.lead}/cancel-contract`))
      return household
    },
  ],
  [
    'ended',
    'ended',
    [...always, 'meter-readings'],
    async () => {
      const household = await signed()
      succeeded(await household.own.post(`/Customers/${household.lead}/end-contract`, { endDate: '2027-01-05' }))
      return household
    },
  ],
]
interface Home {
  own: Partner
  lead: string
  quoteId: string
  browser: TenantBrowser
}

test('the page of a contract says how it is, what was paid, and offers just what can be done; each page opens', async () => {
  for (const [what, state, menu, how] of states) {
    const { own, quoteId, lead, browser } = await how()
    // As after a compensation that was set off against the whole of a payment.
    await rawRows(
      service,
      `update payment_entries set amount_pence = 0
        where entry_id = (select max(entry_id) from payment_entries where customer_id = $1 and kind = 'plan')`,
      [lead],
    )
    const supplied = { serviceId: 'gas-standard', status: 'failed', reason: 'debt_on_meter' }
    if (state === 'in_force') succeeded(await own.post(`/Sandbox/quotes/${quoteId}/service-status`, supplied))
    const home = await browser.open(page(lead, 'home'))
    const { contract } = await customer(own, lead)
    assert.equal(contract?.status, state, what)
    assert.equal(headingOf(home), words.home.states[state].heading, what)
    const rows = rowsOf(home)
    assert.equal(rows[words.home.number], contract?.contractNumber)
    const { home: address, services, price, next } = words.home
    const first = state === 'agreed' || state === 'in_force' ? [address, services, price, next] : [address, services]
    assert.deepEqual(Object.keys(rows).slice(0, first.length), first, what)
    const { startsOn = '', endsOn = '' } = contract ?? {}
    const neverBegan = words.home.neverBegan(startsOn as IsoDate, endsOn as IsoDate)
    assert.equal(rows[words.home.term] === neverBegan, state === 'cancelled' || state === 'ended', what)
    assert.equal(/cannot begin as things are\..*do not pay it/.test(rows.Gas ?? ''), state === 'in_force', what)
    assert.doesNotMatch(home.text, /£0\.00/, what)
    assert.deepEqual(menuOf(home).sort(), [...menu].sort(), what)
    const { paymentSchedule } = succeeded(await own.get(`/Customers/${lead}/payment-schedules`))
    assert.deepEqual(
      tableOf(home).map((cells) => cells[2]),
      paymentSchedule.payments.map(({ amount }) => pounds(amount)),
      what,
    )
    for (const name of menu) {
      const opened = await browser.open(page(lead, name))
      assert.equal(opened.status, 200, `${what}: ${name}`)
      assert.notEqual(headingOf(opened), pageWords.notNow, `${what}: ${name}`)
      assert.notEqual(opened.path, page(lead, 'home'), `${what}: ${name}`)
    }
    const others = [
      'done',
      'welcome',
      'payments',
      'agree',
      'leave',
      'hand-over',
      'meter-readings',
      'cancel',
      'household',
    ]
    for (const name of others) assert.equal((await browser.open(page(lead, name))).status, 200, `${what}: ${name}`)
    if (!menu.includes('calendar.ics'))
      assert.equal((await browser.open(page(lead, 'calendar.ics'))).path, page(lead, 'home'), what)
  }
})

test('withdrawing before the contract takes effect is free, and the tenant can sign again', async () => {
  const { own, lead, quoteId, browser } = await signed({ tenants: 2, signed: 1 })
  await browser.open(page(lead, 'cancel'))
  const back = await browser.send(words.cancel.withdrawButton)
  assert.equal(noticeOf(back), words.notices.withdrawn)
  const withdrawn = await customer(own, lead)
  assert.deepEqual([withdrawn.status, withdrawn.contract?.endReason], ['PersonalInfoComplete', 'withdrawn'])
  assert.equal(await lastChange(lead), 'tenantPage cancel')
  const again = await browser.open(page(lead, ''))
  assert.equal(again.path, page(lead, 'agree'))
  const share = succeeded(await own.get(`/Customers/${lead}/total-cost`))
  assert.equal(headingOf(await browser.send(words.agree.button(words.price(share as never, 12)))), words.done.title)
  assert.equal((await customer(own, lead)).contract?.status, 'agreed')
  assert.equal((await getQuote(own, quoteId)).status, 'active')
})

test('a withdrawal that was shown as free does not cancel a contract that took effect meanwhile: the page shows what that costs', async () => {
  const { own, lead, tenants, browser } = await signed({ tenants: 2, signed: 1 })
  await browser.open(page(lead, 'cancel'))
  await onboard(own, tenants[1] ?? '', { supplyDuringCancellation: true })
  const shown = await browser.send(words.cancel.withdrawButton)
  assert.deepEqual(problemsOf(shown), { figures: words.ending.changed })
  assert.equal(headingOf(shown), words.cancel.title)
  assert.equal((await customer(own, lead)).contract?.status, 'in_force')
  assert.equal(noticeOf(await browser.send(words.cancel.button)), words.notices.cancelled)
  assert.equal((await customer(own, lead)).contract?.endReason, 'cancelled')
})

test('cancelling within the 14 days: the figures are those of the API, and what is paid back is on the page afterwards', async () => {
  const { own, lead, browser } = await supplied()
  succeeded(await own.post(`/Sandbox/customers/${lead}/collect`))
  const dry = succeeded(await own.post(`/Customers/${lead}/cancel-contract?dryRun=true`)).finalStatement
  const shown = await browser.open(page(lead, 'cancel'))
  assert.equal(rowsOf(shown)[words.ending.supply], pounds(dry.supplyCost))
  assert.equal(rowsOf(shown)[words.ending.total], pounds(dry.totalCost))
  assert.equal(rowsOf(shown)[words.ending.paid], pounds(dry.alreadyPaid))
  assert.ok(dry.refundAmount > 0)
  assert.ok(shown.text.includes(`We pay you back ${pounds(dry.refundAmount)} by`))
  const home = await browser.send(words.cancel.button)
  assert.equal(noticeOf(home), words.notices.cancelled)
  assert.ok(home.text.includes(`We pay you back ${pounds(dry.refundAmount)} by`))
  assert.equal((await customer(own, lead)).contract?.status, 'cancelled')
  const gone = await browser.open(page(lead, 'cancel'))
  assert.ok(gone.text.includes(words.notices.contract_not_in_force))
})

test('before an end is binding the page says every part of what is owed, and the receipt then says the same', () => {
  const parts = { supplyCost: 23_089, setUpCost: 2_901, fee: 2_002, reduction: 903, total: 27_089, alreadyPaid: 9_391 }
  const rest = { waived: 1_104, owedAgain: 5_849, lateFees: 505, due: 10_745 }
  const payments = {
    lastPayment: { date: '2027-02-01', amount: 3_006 },
    feePayment: { date: '2027-02-01', amount: 2_007 },
  }
  const settlement = { ...parts, ...rest, ...payments, refund: 0, refundBy: null, feeVat: 95 } as unknown as Settlement
  const contract = { startsOn: '2026-12-03', endsOn: '2027-12-02', endedOn: '2027-01-06' } as Contract
  const page = String(endingInWords({ customerId: 'tenant_1' as Id<'tenant'>, contract, settlement }))
  const about = {
    contractNumber: 'HB-1',
    lastDay: '2027-01-06' as IsoDate,
    notice: { sentOn: '2026-12-07' as IsoDate, informedOn: '2026-12-07' as IsoDate },
  }
  const receipt = tenantMailWords.notice_received({ ...about, reason: 'notice', isMoved: false, settlement }, {
    trader: { name: 'Sample Bills' },
    actor: null,
  } as MailContext)
  const planned = rest.due - 3_006 - 2_007
  for (const amount of [...Object.values(parts), 1_104, 5_849, 505, 3_006, 2_007, planned])
    for (const text of [page, JSON.stringify(receipt.parts)])
      assert.ok(text.includes(pounds(amount)), `${amount} ${text}`)
})

test('a failed payment: the next try only if there is one, what this failure costs, and what the next one does', async () => {
  const { own, lead, browser } = await supplied()
  succeeded(await own.post(`/Sandbox/customers/${lead}/collect`, { outcome: 'failed' }))
  let nextPayment: string | undefined
  const shown = async (set: string) => {
    const entry = `where customer_id = '${lead}' and status = 'failed'`
    await rawRows(service, `update payment_entries set ${set} ${entry}`)
    const home = await browser.open(page(lead, 'home'))
    const [status] = tableOf(home).map((cells) => cells[1])
    nextPayment = rowsOf(home)[words.home.next]
    return [status, /notice bad"><p>.*? failed\. (.*?)<\/p>/.exec(home.text)?.[1]]
  }
  const card = `(select setup_intent_id from setup_intents where customer_id = '${lead}' and status = 'succeeded')`
  const fees = 'This failed payment costs you nothing. The next payment that fails costs £5.00.'
  assert.deepEqual(await shown('attempt_number = 0'), ['failed', undefined], 'the operator collects it by other means')
  assert.deepEqual(
    await shown(`attempt_number = 1, attempted_at = now(), attempted_card = ${card}, retry_on = '2026-12-14'`),
    [words.home.retried('2026-12-14' as IsoDate), `We try again on 14 December 2026. ${fees}`],
  )
  assert.match(nextPayment ?? '', /on 14 December 2026$/)
  assert.deepEqual(await shown('retry_on = null'), [
    'failed',
    `We do not try again until you enter another card. ${fees}`,
  ])
  assert.match(nextPayment ?? '', /on 1 February 2027$/)
})

test('where no notice is possible only the end of the tenancy ends a contract early, and who said so takes it back', async () => {
  const household = await signed({ contractStartDate: '2026-12-03', contractEndDate: '2027-01-02' })
  const { lead } = household
  const browser = await later(household, 6)
  // A notice would not be over before the last day. Only the end of the tenancy needs none.
  await browser.open(page(lead, 'leave'))
  const wrong = await browser.send(words.leave.work, { reason: 'other', ...dateFields('endDate', '2027-01-01') })
  assert.deepEqual(problemsOf(wrong), { endDate: words.leave.problem })
  await browser.send(words.leave.work, { reason: 'tenancy_ended', ...dateFields('endDate', '2027-01-01') })
  await browser.send(words.leave.button)
  // The partner cannot change what the tenant set. They can, until it is over.
  rejected(await household.own.post(`/Customers/${lead}/keep-contract`), 422, 'end_date_not_allowed')
  assert.ok(menuOf(await browser.open(page(lead, 'home'))).includes('keep'))
  await browser.open(page(lead, 'keep'))
  const kept = browser.page
  assert.equal(noticeOf(await browser.send(words.keep.button)), words.notices.end_taken_back)
  browser.page = kept
  assert.equal(noticeOf(await browser.send(words.keep.button)), words.notices.end_taken_back)
  assert.equal(await endings(lead), 2, 'a form that is sent twice takes effect once')
  assert.equal((await customer(household.own, lead)).contract?.endedOn, null)
  assert.equal((await browser.open(page(lead, 'keep'))).path, page(lead, 'home'))
})

test('giving notice: each wrong day is said at its field, the figures come first, and another payment in between shows new ones', async () => {
  const { own, lead, browser } = await supplied()
  const asked = await browser.open(page(lead, 'leave'))
  const days = [...asked.text.matchAll(/leave\?day=([\d-]+)/g)].map(([, day]) => day)
  assert.deepEqual(days, ['2027-01-06', '2027-12-01', '2027-10-14', '2026-12-01'])
  for (const sentence of [tenancyEndsInWords(1), words.leave.responsible]) assert.ok(asked.text.includes(sentence))
  const filled = await browser.open(`${page(lead, 'leave')}?day=2027-01-06`)
  assert.match(filled.text, /name="endDate-day"[^>]*value="06".*name="endDate-year"[^>]*value="2027"/s)
  for (const day of ['', '2027-02-30', '2026-12-08', '2029-01-01', '2020-01-01'])
    assert.deepEqual(
      problemsOf(await browser.send(words.leave.work, { reason: 'other', ...dateFields('endDate', day) })),
      {
        endDate: day === '2027-02-30' ? pageWords.noSuchDay : words.leave.problem,
      },
    )
  const shown = await browser.send(words.leave.work, { reason: 'other', ...dateFields('endDate', '2027-06-30') })
  const figures = async () =>
    succeeded(await own.post(`/Customers/${lead}/end-contract?dryRun=true`, { endDate: '2027-06-30' })).finalStatement
  const assertShown = async (opened: OpenedPage) => {
    const { supplyCost, exitFee, totalCost, alreadyPaid, exitFeePayment } = await figures()
    const { supply, fee, total, paid } = words.ending
    const rows = rowsOf(opened)
    assert.deepEqual(
      [rows[supply], rows[fee], rows[total], rows[paid]],
      [supplyCost, exitFee, totalCost, alreadyPaid].map(pounds),
    )
    assert.ok(opened.text.includes(`The fee for leaving early, ${pounds(exitFeePayment?.amount ?? 0)}, is taken on `))
  }
  await assertShown(shown)
  assert.equal((await customer(own, lead)).contract?.endedOn, null)
  succeeded(await own.post(`/Sandbox/customers/${lead}/collect`))
  const changed = await browser.send(words.leave.button)
  assert.deepEqual(problemsOf(changed), { figures: words.ending.changed })
  await assertShown(changed)
  const confirmed = browser.page
  const home = await browser.send(words.leave.button)
  assert.equal(noticeOf(home), words.notices.notice_received)
  browser.page = confirmed
  assert.equal(noticeOf(await browser.send(words.leave.button)), words.notices.notice_received)
  assert.ok(home.text.includes(words.home.states.in_force.sentence('30 June 2027')))
  const { contract } = await customer(own, lead)
  assert.deepEqual([contract?.endedOn, contract?.endReason], ['2027-06-30', 'notice'])
  assert.equal(await lastChange(lead), 'tenantPage leave')
  assert.equal(await endings(lead), 1, 'a form that is sent twice takes effect once')
})
const endings = async (id: string) =>
  (
    await rawRows(
      service,
      `select 1 from events where type = 'customer.contract.ending' and data->>'customerId' = $1`,
      [id],
    )
  ).length

test('handing over: errors, figures to the penny, progress, a withdrawal, and a second handover that is taken up', async () => {
  const { own, lead, tenants, browser } = await signed({ tenants: 2 })
  await browser.open(page(lead, 'hand-over'))
  const joiner = {
    name: 'Jo Joiner',
    email: `jo.${lead}@example.com`,
    permission: 'yes',
    ...dateFields('from', '2027-03-01'),
  }
  const problems = { ...words.handOver.problems, sure: words.household.sureProblem }
  const housemate = (await customer(own, tenants[1] ?? '')).personalDetails.email
  for (const [changes, wrong] of [
    [{ name: '' }, ['name']],
    [{ email: 'jo' }, ['email']],
    [{ email: housemate }, ['email']],
    [dateFields('from', ''), ['from']],
    [dateFields('from', '2026-12-01'), ['from']],
    [dateFields('from', '2029-01-01'), ['from']],
    [{ permission: '' }, ['permission']],
    [{ email: 'jo@gmail.con' }, ['sure']],
  ] as const) {
    const shown = await browser.send(words.handOver.work, { ...joiner, ...changes })
    assert.deepEqual(problemsOf(shown), Object.fromEntries(wrong.map((field) => [field, problems[field]])))
  }
  const body = { name: joiner.name, email: joiner.email, from: '2027-03-01' }
  const dry = succeeded(await own.post(`/Customers/${lead}/replacements?dryRun=true`, body))
  const shown = await browser.send(words.handOver.work, joiner)
  assert.doesNotMatch(shown.path, /@|Joiner/, 'addresses of pages have no personal data')
  const { supply, total, lastDay } = words.ending
  assert.deepEqual(
    [rowsOf(shown)[supply], rowsOf(shown)[total], rowsOf(shown)[lastDay]],
    [pounds(dry.leaver.finalStatement.supplyCost), pounds(dry.leaver.finalStatement.totalCost), '28 February 2027'],
  )
  const [first] = dry.joiner.payments
  for (const each of [dry.joiner.monthlyCost, first?.amount ?? 0]) assert.ok(shown.text.includes(pounds(each)))
  assert.equal((await customer(own, lead)).contract?.endedOn, null)
  const sent = await browser.send(words.handOver.button)
  assert.equal(noticeOf(sent), words.notices.link_by_partner)
  assert.ok(sent.text.includes(words.handOver.progress('Jo', '1 March 2027', words.handOver.states.active)))
  const added = async () =>
    (await getQuote(own, await quoteOf(own, lead))).tenants.filter(({ replaces }) => replaces === lead)
  const [one] = await added()
  assert.equal(await lastChange(one?.tenantId ?? ''), 'tenantPage hand-over')

  await browser.send(words.handOver.withdraw)
  assert.deepEqual(await added(), [])
  await browser.open(page(lead, 'hand-over'))
  await browser.send(words.handOver.work, { ...joiner, name: 'Kim Second', email: `kim.${lead}@example.com` })
  await browser.send(words.handOver.button)
  const [two] = await added()
  const second = two?.tenantId ?? ''
  succeeded(await finalise(own, second, { firstName: 'Kim' }))
  const begun = await browser.open(page(lead, 'hand-over'))
  assert.ok(
    begun.text.includes(words.handOver.progress('Kim', '1 March 2027', words.handOver.states.PersonalInfoComplete)),
  )
  await join(own, second)
  const taken = await browser.open(page(lead, 'hand-over'))
  assert.ok(taken.text.includes(words.handOver.states.OnboardingComplete))
  assert.doesNotMatch(taken.text, new RegExp(words.handOver.withdraw))
  const { contract } = await customer(own, lead)
  assert.deepEqual([contract?.endedOn, contract?.endReason], ['2027-02-28', 'replaced'])
})
const quoteOf = async (own: Partner, customerId: string) => (await customer(own, customerId)).quoteId

test('meter readings: each error at its field, a later one of the same day replaces the first, and the API shows them', async () => {
  const { own, lead, browser } = await supplied()
  const first = await browser.open(page(lead, 'meter-readings'))
  const reading = { service: 'electricity', reading: '4821', ...dateFields('readOn', '2026-12-03') }
  const { problems } = words.readings
  assert.doesNotMatch(first.text, /<table>/)
  for (const [changes, wrong] of [
    [{ service: '' }, ['service']],
    [{ service: 'water' }, ['service']],
    [{ reading: '' }, ['reading']],
    [{ reading: '48.2' }, ['reading']],
    [{ reading: '123456789' }, ['reading']],
    [{ meterSerial: '£ 5' }, ['meterSerial']],
    [dateFields('readOn', ''), ['readOn']],
    [dateFields('readOn', '2026-12-02'), ['readOn']],
    [dateFields('readOn', '2026-12-25'), ['readOn']],
  ] as const) {
    const shown = await browser.send(words.readings.button, { ...reading, ...changes })
    assert.deepEqual(problemsOf(shown), Object.fromEntries(wrong.map((field) => [field, problems[field]])))
  }
  assert.equal(noticeOf(await browser.send(words.readings.button, reading)), words.notices.reading_saved)
  const replaced = await browser.send(words.readings.button, { ...reading, reading: '4 830'.replace(' ', '') })
  assert.deepEqual(tableOf(replaced), [['3 December 2026', 'Electricity', '4830']])
  const { meterReadings } = succeeded(await own.get(`/Customers/${lead}/meter-readings`))
  assert.deepEqual(
    meterReadings.map(({ service: meter, readOn, reading: shown }) => [meter, readOn, shown]),
    [['electricity', '2026-12-03', 4_830]],
  )
  // The meter has two rates.
  await rawRows(
    service,
    `update quotes set meter = '{"registers":"two_rate"}' where quote_id = (select quote_id from customers where customer_id = $1)`,
    [lead],
  )
  const both = await browser.open(page(lead, 'meter-readings'))
  assert.deepEqual(
    [...both.text.matchAll(/type="radio" value="([^"]+)"/g)].map(([, value]) => value),
    ['electricity/day', 'electricity/night', 'gas'],
  )
  const night = { ...reading, service: 'electricity/night', reading: '12', meterSerial: 'e5 1' }
  assert.equal(noticeOf(await browser.send(words.readings.button, night)), words.notices.reading_saved)
  const stored = succeeded(await own.get(`/Customers/${lead}/meter-readings`)).meterReadings
  assert.deepEqual(
    stored.map(({ register, meterSerial }) => [register, meterSerial]),
    [
      ['night', 'E51'],
      ['single', null],
    ],
  )
  // The reading of the last day can be sent when the contract is over.
  succeeded(await own.post(`/Customers/${lead}/cancel-contract`))
  await browser.open(page(lead, 'meter-readings'))
  const last = { service: 'gas', reading: '7', ...dateFields('readOn', '2026-12-07') }
  assert.equal(noticeOf(await browser.send(words.readings.button, last)), words.notices.reading_saved)
})

test('moving out: each tenant says where letters go, which no housemate sees, and only the lead is asked who follows', async () => {
  const { own, quoteId, lead, tenants, browser } = await signed({ tenants: 2 })
  const [, second = ''] = tenants
  assert.equal((await browser.open(page(lead, 'moving-out'))).path, page(lead, 'home'), 'too early')
  await rawRows(service, "update contracts set ended_on = '2027-01-14' where quote_id = $1", [quoteId])
  const browser2 = await openPages(service, own, second, { withCode: true })
  const asked = await browser2.open(page(second, 'moving-out'))
  assert.doesNotMatch(asked.text, /name="who"/)
  const saved = await browser2.send(words.save, { forwardingAddress: '7 Secret Lane, York' })
  assert.equal(noticeOf(saved), words.notices.changed)
  assert.match((await browser2.open(page(second, 'moving-out'))).text, /value="7 Secret Lane, York"/)
  await browser2.send(words.save, { forwardingAddress: '' })
  assert.doesNotMatch((await browser2.open(page(second, 'moving-out'))).text, /Secret Lane/, 'taken back')
  await browser2.send(words.save, { forwardingAddress: '7 Secret Lane, York' })
  const operated = { contact: 'x'.repeat(201), who: 'landlord' }
  await browser.open(page(lead, 'moving-out'))
  assert.deepEqual(problemsOf(await browser.send(words.save, operated)), {
    contact: words.movingOut.problems.contact,
  })
  const next = { who: 'landlord', name: 'Ms Grey', contact: '01603 555 0100' }
  assert.equal(noticeOf(await browser.send(words.save, next)), words.notices.changed)
  assert.match((await browser.open(page(lead, 'moving-out'))).text, /value="Ms Grey"/)
  for (const name of ['home', 'household', 'moving-out', 'details', 'done', 'hand-over'])
    assert.doesNotMatch((await browser.open(page(lead, name))).text, /Secret Lane/, name)
  const exported = async (id: string) => succeeded(await own.get(`/Customers/${id}/export`))
  assert.deepEqual((await exported(lead)).nextOccupier, next)
  assert.deepEqual(
    [(await exported(second)).forwardingAddress, (await exported(second)).nextOccupier],
    ['7 Secret Lane, York', null],
  )
  succeeded(await own.patch(`/Quotes/${quoteId}/occupiers`, { nextOccupier: { who: 'agent' } }))
  assert.doesNotMatch((await browser.open(page(lead, 'moving-out'))).text, /name="who"/, 'the partner has said it')
})

test('another card, the documents, the calendar and how to complain', async () => {
  const { own, lead, browser } = await signed()
  const { contract } = await customer(own, lead)
  await browser.open(page(lead, 'card'))
  const entry = await browser.send(words.card.another)
  const [, intent = ''] = /^\/sandbox\/card-setup\/(seti_\w+)$/.exec(entry.path) ?? []
  succeeded(await own.post(`/Sandbox/setup-intents/${intent}/confirm`, { paymentMethod: 'pm_card_mastercard' }))
  await waitFor(
    'the other card is in use',
    async () => (await customer(own, lead)).paymentMethod?.last4,
    (last4) => last4 === '4444',
  )
  assert.equal(rowsOf(await browser.open(page(lead, 'home')))[words.home.card], words.home.cardEnding('4444'))

  const html = await browser.open(page(lead, 'contract-html'))
  assert.match(html.path, /^\/contracts\//)
  assert.ok(html.text.includes(contract?.contractNumber ?? 'no number'))
  const pdf = await browser.open(page(lead, 'contract-pdf'))
  assert.equal(pdf.headers.get('content-type'), 'application/pdf')

  const calendar = await browser.open(page(lead, 'calendar.ics'))
  assert.equal(calendar.headers.get('content-type'), 'text/calendar; charset=utf-8')
  const lines = calendar.text.split('\r\n')
  assert.equal(lines.at(-1), '')
  assert.ok(lines.every((line) => Buffer.byteLength(line) <= 75 && !line.includes('\n')))
  const days = [...calendar.text.matchAll(/DTSTART;VALUE=DATE:(\d{8})/g)].map(([, day]) => day)
  const { payments } = succeeded(await own.get(`/Customers/${lead}/payment-schedules`)).paymentSchedule
  assert.deepEqual(
    days,
    ['2027-01-13', ...payments.map(({ date }) => date), '2028-01-12'].map((day) => day.replaceAll('-', '')),
  )
  const ids = [...calendar.text.matchAll(/UID:(.*)\r/g)].map(([, id]) => id)
  assert.equal(new Set(ids).size, days.length)
  assert.doesNotMatch(calendar.text, /Morgan|@example/)

  const complaints = await browser.open(page(lead, 'complaints'))
  assert.match(complaints.text, /<h2>If we do not agree<\/h2><p>\S/)
  const alone = await openPages(service, own, lead)
  assert.equal(headingOf(await alone.open(page(lead, 'complaints'))), words.complaints.title, 'also with a link alone')
})
