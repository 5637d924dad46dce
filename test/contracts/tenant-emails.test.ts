import assert from 'node:assert/strict'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Static } from 'typebox'
import { readOperator } from '../../src/app/reference-data.ts'
import type { PaymentList } from '../../src/back-office/payments/payment.schema.ts'
import type { CustomerTimeline } from '../../src/back-office/people/find-customers.route.ts'
import type { RateCardHouseholdList, WithdrawnRateCard } from '../../src/back-office/rate-cards/rate-cards.route.ts'
import { readLinkKeys } from '../../src/contracts/links/link-token.ts'
import { queueCodeMail, queueLinkMails } from '../../src/contracts/mails/link-mail.ts'
import type { TenantMailDependencies } from '../../src/contracts/mails/queue-mails.ts'
import { createRefusalLinks, refusalLinkDays } from '../../src/contracts/mails/refusal-link.ts'
import { refuseMails } from '../../src/contracts/mails/refuse-mails.ts'
import { kindsThat } from '../../src/contracts/mails/tenant-mail-kinds.ts'
import { tenantMailWords } from '../../src/contracts/mails/tenant-mail-words.ts'
import { dueContractsJob } from '../../src/contracts/termination/end-due-contracts.ts'
import type { Caller } from '../../src/partners/caller.ts'
import { inTransaction, type Tx } from '../../src/platform/db/database.ts'
import type { Databases } from '../../src/platform/db/databases.ts'
import { addDays, isoDate, londonDate } from '../../src/platform/kernel/dates.ts'
import { emailHash } from '../../src/platform/kernel/email.ts'
import type { FieldCipher } from '../../src/platform/kernel/field-encryption.ts'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { dayInWords } from '../../src/platform/kernel/in-words.ts'
import { pence } from '../../src/platform/kernel/money.ts'
import type { Quote } from '../../src/quoting/quotes/quote.ts'
import { findQuoteOfCustomer } from '../../src/quoting/quotes/quotes.store.ts'
import { findPartnerOfCustomer } from '../../src/quoting/tenants/customers.store.ts'
import { words } from '../../src/tenant-pages/words.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { leavesOf, readEml } from '../support/eml.ts'
import { attachCard, finalise, onboard, personalInformation, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createQuote, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { packagesWithRatesMultiplied, publishChangedRateCard, runStopSigning } from '../support/rate-cards.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'
import { noticeOf, openPages, TenantBrowser } from '../tenant-pages/tenant-browser.ts'

const clock = movableClock(testTime)
const service = await startTestService({}, { clock })
test.after(() => service.stop())
const { trader } = await readOperator(undefined)

/** Every kind that some test here has found in an e-mail. */
const seen = new Set<string>()

/** An e-mail as it is listed, and as its reader sees it once it was sent. */
interface Read {
  kind: string
  outcome: string | null
  to: string
  subject: string
  text: string
  html: string
  unsubscribe: { url: string; post: string }
}

/** The e-mails to a customer of these kinds, in the order in which they were written. */
async function mailsTo(partner: Partner, customerId: string, ...kinds: string[]): Promise<Read[]> {
  const { emails } = succeeded(await partner.get(`/Customers/${customerId}/emails`))
  const wanted = emails.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind)).reverse()
  return Promise.all(
    wanted.map(async ({ emailId, kind, outcome }) => {
      if (outcome !== 'sent')
        return { kind, outcome, to: '', subject: '', text: '', html: '', unsubscribe: { url: '', post: '' } }
      const eml = readEml(await readFile(join(service.config.dataDir, 'mails', `${emailId}.eml`), 'latin1'))
      const [plain = assert.fail(), html = assert.fail()] = leavesOf(eml)
      assert.deepEqual([plain.type, html.type], ['text/plain', 'text/html'])
      assert.equal(eml.headers.get('message-id'), `<${emailId}@localhost>`)
      for (const each of [plain.text, html.text]) {
        assert.ok(each.includes(`${service.baseUrl}/my-bills`), 'every e-mail has the permanent address')
        assert.ok(each.includes(trader.phone) && each.includes(trader.email))
        // The random letters of a link may spell one of these words.
        assert.doesNotMatch(each.replace(/https?:[^\s"]+/g, ''), /undefined|\[object|NaN|null/)
      }
      assert.doesNotMatch(html.text, /<img|<script|<link|@import|url\(|src=/, 'it loads nothing')
      seen.add(kind)
      const { headers } = eml
      return {
        ...{ kind, outcome, to: headers.get('to') ?? '', subject: headers.get('subject') ?? '' },
        ...{ text: plain.text, html: html.text },
        unsubscribe: {
          url: headers.get('list-unsubscribe') ?? '',
          post: headers.get('list-unsubscribe-post') ?? '',
        },
      }
    }),
  )
}

/** Checks that the customer was sent exactly one e-mail of the kind, and that both of its forms say this. */
async function sentOnce(partner: Partner, customerId: string, kind: string, says: readonly string[]): Promise<Read> {
  const found = await mailsTo(partner, customerId, kind)
  assert.equal(found.length, 1, `${kind}: ${JSON.stringify(found)}`)
  const [mail = assert.fail()] = found
  assert.equal(mail.outcome, 'sent', kind)
  for (const words of says) {
    assert.ok(`${mail.subject}\n${mail.text}`.includes(words), `${words}\n${mail.subject}\n${mail.text}`)
    for (const part of words.split(': ')) assert.ok(mail.html.includes(part), `${part}\n${mail.html}`)
  }
  return mail
}

/** Moves the clock to nine in the morning of a day, which sends what becomes due. */
async function goTo(partner: Partner, day: string): Promise<void> {
  succeeded(await partner.post('/Sandbox/clock/advance', { to: `${day}T09:00:00Z` }))
}

/** Ends and announces what is due on every partner's clock, as the job does. */
function endContracts(): Promise<void> {
  return withDatabaseKeys(service, (opened) => dueContractsJob({ ...opened, clock }).run(new AbortController().signal))
}

/** A household whose tenants may be written to, who live where nobody else is told. */
async function inviteHousehold(partner: Partner, names: readonly string[]) {
  return succeeded(
    await partner.post('/Households', {
      addressUid: ordinaryProperty().addressUid,
      packages: ['electricity', 'gas'],
      tenants: names.map((name) => ({
        name,
        email: `${name.toLowerCase().replace(' ', '.')}@example.com`,
        contactPermission: { givenAt: '2026-11-30T10:00:00Z', by: 'viewing' },
      })),
      sendEmails: true,
      householdComplete: true,
    }),
  )
}

/** As the tenants' pages do when a link is opened. */
async function opened(...customerIds: string[]): Promise<void> {
  await rawRows(
    service,
    `update customers set pages_opened_at = $2::timestamptz + make_interval(secs => p.clock_offset_seconds)
       from partners p where customers.partner_id = p.partner_id and customer_id = any($1::text[])`,
    [customerIds, clock.now()],
  )
}

async function quoteOf(customerId: string): Promise<string> {
  const [row] = await rawRows(service, 'select quote_id from customers where customer_id = $1', [customerId])
  return String(row?.quote_id)
}

async function refusalLinksOf(databases: Databases, cipher: FieldCipher) {
  const lifetimeSeconds = refusalLinkDays * 86_400
  return createRefusalLinks({
    keys: await readLinkKeys({ db: databases.system, cipher, lifetimeSeconds }),
    lifetimeSeconds,
  })
}

/** As the page behind "This is not me" does. */
function refuse(customerId: string, token: string, change: Parameters<typeof refuseMails>[2]) {
  return withDatabaseKeys(service, async ({ databases, cipher }) => {
    const refusalLinks = await refusalLinksOf(databases, cipher)
    const deps = { databases, cipher, clock, refusalLinks }
    return refuseMails(deps, { customerId, token, requestId: 'request_test' }, change)
  })
}

type Queue = (
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Pick<Caller, 'partnerId' | 'now'>,
  quote: Quote,
) => Promise<unknown>

/** Acts for the customer's partner, as the tenants' pages do. */
function onPages(customerId: string, queue: Queue): Promise<unknown> {
  return withDatabaseKeys(service, async ({ databases, cipher, ...mails }) => {
    const owner = await findPartnerOfCustomer(databases.system, customerId as Id<'tenant'>)
    assert.ok(owner)
    const { partnerId, clockOffsetSeconds } = owner
    const caller = { partnerId, now: new Date(clock.now().getTime() + clockOffsetSeconds * 1000) }
    const deps = { cipher, ...mails }
    return inTransaction(databases.forPartner(partnerId, { actor: 'tenant' }), {}, async (tx) => {
      const quote = await findQuoteOfCustomer(tx, cipher, partnerId, customerId as Id<'tenant'>)
      return queue(tx, deps, caller, quote ?? assert.fail())
    })
  })
}

const askForCode = (customerId: string, code: string) =>
  onPages(customerId, (tx, deps, caller, quote) =>
    queueCodeMail(tx, deps, caller, { quote, customerId: customerId as Id<'tenant'>, code }),
  )

const askForLink = (customerId: string) =>
  onPages(customerId, (tx, deps, caller, quote) =>
    queueLinkMails(tx, deps, caller, { quote, customerIds: [customerId as Id<'tenant'>], isAskedFor: true }),
  )

/** The name of the customer's partner, which is also its id. */
async function nameOf(customerId: string): Promise<string> {
  const [row] = await rawRows(service, 'select partner_id from customers where customer_id = $1', [customerId])
  return String(row?.partner_id)
}

test('a tenant with a contract is told of each payment, change and end once, in HTML and text, and who acted', async () => {
  const own = await connectNewPartner(service)
  const operator = await connectOperator(service, ['support:write', 'support:read'])
  const { lead } = await startHousehold(own, { tenants: 1, contractStartDate: '2027-01-04' })
  await onboard(own, lead)
  const name = await nameOf(lead)
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, lead, 'contract_in_force', ['is in force', `Set up through: ${name}`])

  succeeded(await own.patch(`/Customers/${lead}`, { phone: '07700 900456', lastName: 'Morgan-Lee' }))
  succeeded(await own.patch(`/Customers/${lead}`, { phone: '07700 900456' }))
  await advanceClock(own, { seconds: 60 })
  const details = await sentOnce(own, lead, 'details_changed', [
    'your name and your telephone number',
    `Changed by: ${name}`,
  ])
  assert.doesNotMatch(details.text, /900456/, 'it does not say to what')

  succeeded(await operator.patch(`/Customers/${lead}`, { email: 'alex@new.example.com' }))
  await advanceClock(own, { seconds: 60 })
  const [before, after] = await mailsTo(own, lead, 'email_changed')
  assert.ok(before?.to.includes(`${lead}@example.com`))
  assert.match(before?.text ?? '', /the last e-mail about them that we send to this address/)
  assert.match(after?.to ?? '', /alex@new\.example\.com/)
  for (const each of [before, after]) {
    assert.ok(each?.text.includes(`Changed by: ${trader.name}`))
    assert.match(each?.text ?? '', /^Hello Alex,\r$/m, 'nobody has confirmed the new address')
    assert.doesNotMatch(each?.to ?? '', /Morgan/)
  }

  const { setupIntentId } = succeeded(await own.post(`/Customers/${lead}/create-setup-intent`, { replace: true }))
  const confirm = (paymentMethod: string) =>
    own.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod })
  succeeded(await confirm('pm_card_chargeDeclined'))
  await advanceClock(own, { seconds: 600 })
  assert.equal((await mailsTo(own, lead, 'card_declined')).length, 0, 'another try may follow soon')
  await advanceClock(own, { seconds: 3_600 })
  await sentOnce(own, lead, 'card_declined', [
    'Your card was not accepted',
    `${service.baseUrl}/my-bills/${lead}/links/`,
  ])
  succeeded(await confirm('pm_card_mastercard'))
  await advanceClock(own, { seconds: 60 })
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, lead, 'card_changed', ['which ends in 4444', `Asked for by: ${name}`])
})

test('a tenant is told that a supply is delayed, begins, was moved by mistake or cannot begin, once each, and of a mistake', async () => {
  const own = await connectNewPartner(service)
  const operator = await connectOperator(service, ['contracts:write'])
  const moveIn = { date: '2026-12-28', electricitySupplier: 'Example Energy' }
  const { quoteId, lead } = await startHousehold(own, { tenants: 1, contractStartDate: '2027-01-04', moveIn })
  await onboard(own, lead)
  const effectiveDate = '2026-12-14'
  const report = async (status: string, body: object = {}) =>
    succeeded(
      await operator.post(`/Quotes/${quoteId}/services/gas-standard/status`, { status, effectiveDate, ...body }),
    )
  await report('requested')
  const delayed = { reason: 'objected', expectedOn: '2027-01-20' }
  await report('requested', delayed)
  await report('requested', { ...delayed, comment: 'chased' })
  await report('active', { effectiveDate: '2027-01-20' })
  await report('active', { reason: 'erroneous_transfer' })
  await report('active', { reason: 'erroneous_transfer', answeredOn: '2026-12-16' })
  await report('requested', { replacesLatest: true })
  await report('failed', { reason: 'debt_on_meter' })
  await advanceClock(own, { seconds: 60 })
  const mails = await mailsTo(own, lead, 'supply_changed')
  const says = [
    [
      /^\S+ ?.*Your gas is delayed$/,
      /It is delayed\. The present supplier objected\. It is now expected to begin on 20 January 2027\..*Your home is not cut off/s,
    ],
    [/Your gas begins with us$/, /It begins on 20 January 2027\..*read it now/s],
    [/Your gas was moved by mistake$/, /first answer by 21 December 2026, and put it right by 14 January 2027/],
    [/Your gas is not as we wrote$/, /What we wrote about it before was wrong\. The supplier was asked for it\./],
    [/Your gas cannot begin as planned$/, /You do not owe it: do not pay it\..*Your home is not cut off/s],
  ] as const
  assert.equal(mails.length, says.length)
  for (const [index, [subject, text]] of says.entries()) {
    assert.match(mails[index]?.subject ?? '', subject)
    assert.match((mails[index]?.text ?? '').replace(/\s+/g, ' '), text)
  }
  const { data } = succeeded(
    await (await connectOperator(service, ['contracts:read'])).get<{ data: { quoteId: string; due: string }[] }>(
      '/Tasks?kind=erroneous_transfer',
    ),
  )
  assert.deepEqual(
    data.filter((task) => task.quoteId === quoteId),
    [],
    'a later report settles the task',
  )

  await goTo(own, '2026-12-25')
  assert.equal((await mailsTo(own, lead, 'moving_in')).length, 0, 'three days before moving in')
  await goTo(own, '2026-12-26')
  await advanceClock(own, { days: 1 })
  await sentOnce(own, lead, 'moving_in', [
    'Before you move in on 28 December 2026',
    'Electricity until 3 January 2027: Example Energy',
    'Gas until 3 January 2027: the home’s present supplier',
    'You pay the present supplier for 28 December 2026 to 3 January 2027.',
    'Read every meter',
    'Tell the present supplier the day, your name, and the readings.',
  ])
})

test('a tenant is told of the first payment, of each that differs, of one that failed, and of the end of the contract', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await startHousehold(own, { tenants: 1, contractStartDate: '2027-01-04' })
  await onboard(own, lead)
  const count = async (kind: string) => (await mailsTo(own, lead, kind)).length

  await goTo(own, '2027-01-24')
  assert.equal(await count('payment_due'), 0, 'the payment of 1 February is more than five working days ahead')
  await goTo(own, '2027-01-25')
  await goTo(own, '2027-01-26')
  await sentOnce(own, lead, 'payment_due', [
    'Your payment on 1 February 2027 is £222.94',
    'we take £222.94 from your card',
    'What it is for: 4 to 31 January 2027 and February 2027',
    'Your usual payment is £117.14 a month.',
  ])

  await goTo(own, '2027-02-01')
  succeeded(await own.post(`/Sandbox/customers/${lead}/collect`, { outcome: 'failed' }))
  await rawRows(
    service,
    `update payment_entries e set attempt_number = 1, attempted_at = now(), retry_on = '2027-02-08',
            attempted_card = (select setup_intent_id from setup_intents s where s.customer_id = e.customer_id)
      where customer_id = $1 and status = 'failed'`,
    [lead],
  )
  await advanceClock(own, { seconds: 60 })
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, lead, 'card_declined', [
    'We could not take your payment of £222.94, due on 1 February 2027',
    'We try again on 8 February 2027. This failed payment costs you nothing. The next payment that fails costs £5.00.',
    `${service.baseUrl}/my-bills/${lead}/links/`,
  ])
  succeeded(await own.post(`/Sandbox/customers/${lead}/collect`, { outcome: 'paid' }))

  for (const [day, sent] of [
    ['2027-11-18', 0],
    ['2027-11-19', 1],
    ['2027-12-03', 1],
    ['2027-12-04', 2],
  ] as const) {
    await goTo(own, day)
    await endContracts()
    await advanceClock(own, { seconds: 60 })
    assert.equal(await count('contract_ending'), sent, day)
  }
  const [, ending = assert.fail()] = await mailsTo(own, lead, 'contract_ending')
  for (const words of ['Last day: 3 January 2028', 'IF YOU MOVE OUT', 'IF YOU STAY'])
    assert.ok(ending.text.includes(words), `${words}\n${ending.text}`)

  // Christmas, Boxing Day and New Year's Day are on a weekend, so that three weekdays are bank holidays.
  await goTo(own, '2027-12-22')
  assert.equal(await count('payment_due'), 1, 'payments of the usual amount are not announced')
  await goTo(own, '2027-12-23')
  const [, last] = await mailsTo(own, lead, 'payment_due')
  assert.match(last?.subject ?? '', /Your payment on 4 January 2028 is £11\.29/)

  const operator = await connectOperator(service)
  const { data } = succeeded(await operator.get<Static<typeof PaymentList>>(`/Payments?customerId=${lead}&status=paid`))
  const path = `/Payments/${data[0]?.entryId}` as const
  for (const status of ['disputed', 'dispute_lost']) succeeded(await operator.post(`${path}/status`, { status }))
  // 8 January 2028 is a Saturday.
  const again = succeeded(await operator.post<{ entryId: string }>(`${path}/put-back`, { dueDate: '2028-01-08' }))
  succeeded(await operator.post(`/Payments/${again.entryId}/status`, { status: 'waived' }))
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, lead, 'payment_put_back', [
    'What it pays for: 4 to 31 January 2027 and February 2027',
    'Amount: £222.94',
    'Taken on: 10 January 2028',
  ])
  await sentOnce(own, lead, 'payment_waived', ['We do not ask for this payment', 'Amount: £222.94'])
})

test('a tenant whose details cannot be read keeps no other from e-mails, neither when they are due nor when they are sent', async () => {
  const own = await connectNewPartner(service)
  const households = [1, 2].map(() => startHousehold(own, { tenants: 1, contractStartDate: '2027-01-04' }))
  const [one = '', other = ''] = (await Promise.all(households)).map(({ lead }) => lead).sort()
  for (const lead of [one, other]) await onboard(own, lead)
  await advanceClock(own, { seconds: 60 })
  const set = (lead: string, personal: unknown) =>
    rawRows(service, 'update customers set personal_encrypted = $2 where customer_id = $1', [lead, personal])
  const makeUnreadable = async (lead: string) => {
    const [stored] = await rawRows(service, 'select personal_encrypted from customers where customer_id = $1', [lead])
    await set(lead, 'unreadable')
    return () => set(lead, stored?.personal_encrypted)
  }
  const outcomes = async () => {
    const noted = `select customer_id, outcome from tenant_mails where kind = 'payment_due' and customer_id = any($1)`
    const rows = await rawRows(service, noted, [[one, other]])
    return Object.fromEntries(rows.map(({ customer_id, outcome }) => [customer_id, outcome]))
  }

  const makeOneReadable = await makeUnreadable(one)
  await assert.rejects(goTo(own, '2027-01-26'))
  assert.deepEqual(await outcomes(), { [other]: null })
  await makeOneReadable()
  const makeOtherReadable = await makeUnreadable(other)
  await advanceClock(own, { seconds: 60 })
  assert.deepEqual(await outcomes(), { [other]: null, [one]: 'sent' })
  // Longer than a mail server is tried: whatever keeps an e-mail from being written can be mended.
  await advanceClock(own, { days: 4 })
  await advanceClock(own, { seconds: 60 })
  assert.deepEqual(await outcomes(), { [other]: null, [one]: 'sent' })
  await makeOtherReadable()
  await advanceClock(own, { seconds: 600 })
  assert.deepEqual(await outcomes(), { [other]: 'sent', [one]: 'sent' })
})

test('who asks for a code on their pages is sent it at once, and waits for no e-mail to others', async () => {
  const own = await connectNewPartner(service)
  const [one = '', other = ''] = (await startHousehold(own, { tenants: 2 })).tenants
  await askForCode(other, '111111')
  const browser = await openPages(service, own, one)
  await browser.open(`/my-bills/${one}/code`)
  await browser.send(words.code.send)
  const outcomes = async (customerId: string) =>
    (await mailsTo(own, customerId, 'confirmation_code')).map(({ outcome }) => outcome)
  assert.deepEqual([await outcomes(one), await outcomes(other)], [['sent'], [null]])
})

test('whoever cancels, ends, takes over or corrects, the tenants are told once and by whom', async () => {
  const own = await connectNewPartner(service)
  const operator = await connectOperator(service, ['support:write', 'support:read', 'contracts:write'])
  const { tenants } = await startHousehold(own, { tenants: 3, contractStartDate: '2027-01-04' })
  const [first = '', second = '', third = ''] = tenants
  for (const tenant of tenants) await onboard(own, tenant)
  const name = await nameOf(first)
  await advanceClock(own, { days: 3 })

  const { contract } = succeeded(await own.get(`/Customers/${first}`))
  succeeded(
    await operator.post(`/Contracts/${contract?.contractNumber}/corrections`, {
      installDate: '2027-01-11',
      reason: 'The engineer came on another day.',
    }),
  )
  await advanceClock(own, { seconds: 60 })
  for (const tenant of tenants)
    await sentOnce(own, tenant, 'dates_changed', [
      'Broadband is installed on: 11 January 2027',
      `Changed by: ${trader.name}`,
    ])

  succeeded(await own.post(`/Customers/${first}/cancel-contract`, {}))
  succeeded(await operator.post(`/Customers/${second}/end-contract`, { endDate: '2027-06-30' }))
  const joiner = { name: 'Jo Joiner', email: 'jo@example.com', from: '2027-03-01' }
  const { customerId } = succeeded(await own.post(`/Customers/${third}/replacements`, joiner))
  assert.ok(customerId)
  await onboard(own, customerId)
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, first, 'cancelled', ['is cancelled', 'You owe nothing.', `Received through: ${name}`])
  await sentOnce(own, second, 'notice_received', [
    'ends on 30 June 2027',
    `Received through: ${trader.name}`,
    'We take the planned payments that this total still needs, together £',
  ])
  await sentOnce(own, third, 'place_taken_over', ['Last day of the contract: 28 February 2027', `Arranged by: ${name}`])
  const joined = await sentOnce(own, customerId, 'contract_in_force', ['First day: 1 March 2027'])
  assert.doesNotMatch(joined.text, /present supplier/)
  const { entries } = succeeded(await operator.get<Static<typeof CustomerTimeline>>(`/Customers/${third}/timeline`))
  assert.ok(entries.some(({ what, by }) => what === 'e-mail place_taken_over sent' && by === null))
})

test('who cancels and is erased before the receipt has left is sent it, and nothing else', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await startHousehold(own, { tenants: 1 })
  await onboard(own, lead)
  await advanceClock(own, { seconds: 60 })
  const { personalDetails } = succeeded(await own.get(`/Customers/${lead}`))
  succeeded(await own.post(`/Customers/${lead}/cancel-contract`, {}))
  succeeded(await own.post(`/Customers/${lead}/erase`))
  await advanceClock(own, { seconds: 60 })
  const receipt = await sentOnce(own, lead, 'cancelled', ['is cancelled', `Hello ${personalDetails.firstName}`])
  assert.ok(receipt.to.includes(personalDetails.email), receipt.to)
  const others = (await mailsTo(own, lead)).filter(({ kind, outcome }) => kind !== 'cancelled' && outcome !== 'sent')
  assert.ok(others.every(({ outcome }) => outcome === 'obsolete'))
})

test('a partner that sends its confirmations tells of changes itself; receipts are sent nevertheless', async () => {
  const own = await connectNewPartner(service)
  const operator = await connectOperator(service, ['partners:write', 'support:write'])
  const { lead, quoteId } = await startHousehold(own, { tenants: 1, contractStartDate: '2027-01-04' })
  succeeded(await operator.patch(`/Partners/${await nameOf(lead)}`, { confirmations: 'partner', nudges: 'off' }))
  await onboard(own, lead)
  succeeded(await own.patch(`/Customers/${lead}`, { phone: '07700 900456', email: 'other@example.com' }))
  succeeded(await own.post(`/Customers/${lead}/end-contract`, { endDate: '2027-06-30' }))
  await advanceClock(own, { seconds: 60 })
  assert.deepEqual(
    (await mailsTo(own, lead)).map(({ kind }) => kind),
    ['notice_received'],
  )
  succeeded(await own.post(`/Quotes/${quoteId}/move-start`, { contractStartDate: '2027-02-01' }))
  await advanceClock(own, { seconds: 60 })
  const { text } = await sentOnce(own, lead, 'start_moved', [
    'now begin on 1 February 2027',
    'moved from 4 January 2027 to 1 February 2027',
    'ended before it began, without a fee',
    'You owe nothing.',
  ])
  assert.match(text, /Read the new offer/)
})

test('before a contract, tenants are sent their link, at most three reminders, and what changed under them', async () => {
  const own = await connectNewPartner(service)
  const { tenants } = await inviteHousehold(own, ['Ada Lead', 'Ben Second', 'Cy Third'])
  const [lead = assert.fail(), second = assert.fail(), third = assert.fail()] = tenants
  const ids = tenants.map(({ customerId }) => customerId)
  await advanceClock(own, { seconds: 60 })
  for (const { customerId } of tenants) {
    const { to, text } = await sentOnce(own, customerId, 'link', [
      `${await nameOf(customerId)} has named you as a tenant of`,
      'You would owe us your own share only',
      `${service.baseUrl}/my-bills/${customerId}/links/`,
    ])
    assert.match(text, /^Hello (Ada|Ben|Cy),\r$/m, 'nobody has confirmed an address: a name can be a sentence')
    assert.match(to, /^(Ada|Ben|Cy) </)
    assert.match(text, new RegExp(`^This is not me.*\\r\\n${service.baseUrl}/my-bills/${customerId}/not-me/\\S+`, 'm'))
  }

  // As if they had opened their pages now; the third never does.
  await opened(lead.customerId, second.customerId)
  const nudges = () => Promise.all(ids.map(async (id) => (await mailsTo(own, id, 'nudge')).length))
  await advanceClock(own, { days: 1 })
  assert.deepEqual(await nudges(), [0, 0, 0])
  await Promise.all([advanceClock(own, { days: 1 }), advanceClock(own, { seconds: 60 })])
  await advanceClock(own, { seconds: 60 })
  assert.deepEqual(await nudges(), [1, 1, 0], 'once, whatever runs at the same time')
  await advanceClock(own, { days: 1 })
  assert.deepEqual(await nudges(), [1, 1, 0], 'two days apart')

  const start = { contractStartDate: '2027-02-01', firstName: 'Ada', lastName: 'Lead' }
  succeeded(await finalise(own, lead.customerId, start))
  await advanceClock(own, { seconds: 60 })
  const first = ['First day: 1 February 2027', 'Changed by: ']
  await sentOnce(own, second.customerId, 'dates_changed', first)
  for (const { customerId } of [lead, third]) assert.deepEqual(await mailsTo(own, customerId, 'dates_changed'), [])

  await onboard(own, lead.customerId)
  const { lockedUntil } = await getQuote(own, await quoteOf(lead.customerId))
  const lastDay = londonDate(new Date(lockedUntil ?? ''))
  await advanceClock(own, { days: 2 })
  await advanceClock(own, { days: 5 })
  assert.deepEqual(await nudges(), [1, 2, 0], 'no third nudge')
  await goTo(own, addDays(lastDay, -2))
  await goTo(own, addDays(lastDay, -1))
  await goTo(own, lastDay)
  for (const { customerId } of [second, third])
    await sentOnce(own, customerId, 'lock_ending', [
      `until ${dayInWords(lastDay)}`,
      'nobody has a contract and nobody pays',
      `/my-bills/${customerId}/links/`,
    ])
  assert.deepEqual(await mailsTo(own, lead.customerId, 'lock_ending'), [])
})

test('a partner without nudges sends none, and one without permissions writes to nobody before a contract', async () => {
  const quiet = await connectNewPartner(service)
  const operator = await connectOperator(service, ['partners:write'])
  const [tenant = assert.fail()] = (await inviteHousehold(quiet, ['Ada Lead'])).tenants
  succeeded(await operator.patch(`/Partners/${await nameOf(tenant.customerId)}`, { nudges: 'off' }))
  const silent = await connectNewPartner(service)
  const { lead } = await startHousehold(silent, { tenants: 1 })
  await opened(tenant.customerId, lead)
  succeeded(await silent.patch(`/Customers/${lead}`, { email: 'ada@elsewhere.example.com' }))
  succeeded(await silent.post(`/Customers/${lead}/onboarding-links`))
  for (const each of [quiet, silent]) await advanceClock(each, { days: 3 })
  const { customerId } = tenant
  const link = await sentOnce(quiet, customerId, 'link', ['Your household bills'])
  assert.deepEqual(await mailsTo(quiet, customerId, 'nudge'), [])
  succeeded(await finalise(quiet, customerId))
  await attachCard(quiet, customerId)
  const lastDay = londonDate(new Date((await getQuote(quiet, await quoteOf(customerId))).lockedUntil ?? ''))
  await goTo(quiet, addDays(lastDay, -1))
  const lock = await sentOnce(quiet, customerId, 'lock_ending', [`You can sign until ${dayInWords(lastDay)}`])
  for (const { text } of [link, lock]) assert.doesNotMatch(text, /share|household can|housemate|everyone/)
  assert.deepEqual(await mailsTo(silent, lead), [])
})

test('who has withdrawn is reminded of nothing, and a nudge names just what is left', async () => {
  const own = await connectNewPartner(service)
  const { tenants } = await inviteHousehold(own, ['Ada Lead', 'Ben Second', 'Cy Third'])
  const ids = tenants.map(({ customerId }) => customerId)
  const [withdrawn = '', saved = '', fresh = ''] = ids
  await onboard(own, withdrawn)
  succeeded(await finalise(own, saved))
  await attachCard(own, saved)
  await opened(...ids)
  succeeded(await own.post(`/Customers/${withdrawn}/cancel-contract`, {}))
  await advanceClock(own, { days: 3 })
  await sentOnce(own, saved, 'nudge', ['What is left is to read the contract and agree to it.'])
  await sentOnce(own, fresh, 'nudge', [
    'What is left is your details, your card and to read the contract and agree to it.',
  ])
  const { lockedUntil } = await getQuote(own, await quoteOf(saved))
  await goTo(own, addDays(londonDate(new Date(lockedUntil ?? '')), -1))
  await sentOnce(own, fresh, 'lock_ending', [])
  assert.deepEqual(await mailsTo(own, withdrawn, ...kindsThat('isReminder')), [])
  await onboard(own, saved)
  const quoteId = await quoteOf(saved)
  succeeded(await own.post(`/Quotes/${quoteId}/reopen`))
  succeeded(await own.patch(`/Quotes/${quoteId}`, { householdComplete: true }))
  await advanceClock(own, { days: 3 })
  const again = (await mailsTo(own, saved, 'nudge')).at(-1)?.text ?? ''
  assert.match(again, /What you signed before never took effect, so nobody owes anything under it/)
  assert.doesNotMatch(again, /have not signed/)
})

test('whom a housemate named and who does not open is sent nothing after a fortnight, and one reminder before', async () => {
  const own = await connectNewPartner(service)
  const { tenants } = await inviteHousehold(own, ['Ada Lead', 'Ben Second', 'Cy Third', 'Di Fourth'])
  const [lead = '', ...mates] = tenants.map(({ customerId }) => customerId)
  const [named = '', reminded = '', byPartner = ''] = mates
  await rawRows(service, 'update customers set named_by_tenant = true where customer_id = any($1)', [[named, reminded]])
  await advanceClock(own, { days: 10 })
  await onboard(own, lead)
  // As if there had been an earlier time to sign.
  await rawRows(
    service,
    `insert into tenant_mails (mail_id, partner_id, customer_id, kind, once, content_encrypted, sha256, created_at, outcome, ended_at)
     select 'mail_' || c.customer_id, c.partner_id, c.customer_id, 'lock_ending', 'before', '', '', c.created_at, 'sent', c.created_at
       from customers c where customer_id = $1`,
    [reminded],
  )
  const { lockedUntil } = await getQuote(own, await quoteOf(lead))
  await goTo(own, addDays(londonDate(new Date(lockedUntil ?? '')), -1))
  const reminders = (customerId: string) =>
    rawRows(service, `select outcome from tenant_mails where customer_id = $1 and kind = 'lock_ending'`, [customerId])
  assert.deepEqual(await reminders(byPartner), [{ outcome: 'sent' }])
  assert.deepEqual(await reminders(named), [{ outcome: 'not_permitted' }])
  assert.deepEqual(await reminders(reminded), [{ outcome: 'sent' }], 'no other one')
  succeeded(await own.post(`/Customers/${named}/onboarding-links`))
  await advanceClock(own, { seconds: 1 })
  assert.equal((await mailsTo(own, named, 'link')).length, 2, 'the partner can still have us write')
})

test('a reminder can be unsubscribed from with one click, and what the tenant asks for is still sent', async () => {
  const own = await connectNewPartner(service)
  const [tenant = assert.fail()] = (await inviteHousehold(own, ['Ada Lead'])).tenants
  const { customerId } = tenant
  await opened(customerId)
  await advanceClock(own, { days: 3 })
  const { unsubscribe } = await sentOnce(own, customerId, 'nudge', [])
  assert.equal(unsubscribe.post, 'List-Unsubscribe=One-Click')
  const [, url = ''] = /^<(\S+)>$/.exec(unsubscribe.url) ?? []
  assert.ok(url.startsWith(`${service.baseUrl}/my-bills/${customerId}/no-reminders/`), unsubscribe.url)
  const off = async () =>
    (await rawRows(service, 'select reminders_off from customers where customer_id = $1', [customerId]))[0]
  const page = await fetch(url)
  assert.match(await page.text(), new RegExp(words.noReminders.refuse))
  assert.deepEqual(await off(), { reminders_off: false }, 'opening it changes nothing')
  const form = new FormData()
  form.set('List-Unsubscribe', 'One-Click')
  assert.equal((await fetch(url, { method: 'POST', body: form })).status, 200)
  assert.deepEqual(await off(), { reminders_off: true })
  await advanceClock(own, { days: 3 })
  await sentOnce(own, customerId, 'nudge', [])
  assert.equal(await askForCode(customerId, '204816'), 'queued')
  const browser = new TenantBrowser(service.baseUrl)
  await browser.open(new URL(url).pathname)
  await browser.send(words.noReminders.allow)
  assert.deepEqual(await off(), { reminders_off: false })
  const links = await mailsTo(own, customerId, 'link')
  assert.equal(links[0]?.unsubscribe.url, '', 'an invitation is no mailing')
})

test('once the lead tenant is erased, the next one is asked to lead; until they agree, partner and operator set dates', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, tenants } = await inviteHousehold(own, ['Ada Lead', 'Ben Second', 'Cy Third'])
  const [lead = '', second = '', third = ''] = tenants.map(({ customerId }) => customerId)
  succeeded(await own.patch(`/Quotes/${quoteId}`, { householdComplete: false }))
  const start = (customerId: string, contractStartDate: string) =>
    finalise(own, customerId, { contractStartDate, email: `${customerId}@example.com` })
  rejected(await start(third, '2027-02-01'), 422, 'validation_failed')
  succeeded(await own.post(`/Customers/${lead}/erase`))
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, second, 'asked_to_lead', ['Will you lead your household?', '/links/'])
  assert.deepEqual(await mailsTo(own, third, 'asked_to_lead'), [])
  const operator = await connectOperator(service)
  const waits = async () =>
    succeeded(await operator.get<{ data: { quoteId: string }[] }>('/Tasks?kind=lead_missing')).data.filter(
      (task) => task.quoteId === quoteId,
    ).length
  assert.equal(await waits(), 1)
  assert.equal((await getQuote(own, quoteId)).leadTenantId, null)
  succeeded(await start(second, '2027-02-01'))
  const information = personalInformation({ email: `${second}@example.com`, contractStartDate: '2027-02-08' })
  succeeded(await operator.post<object>(`/Customers/${second}/finalise-personal-information`, information))

  const browser = await openPages(service, own, third, { withCode: true })
  const asked = await browser.open(`/my-bills/${third}/household`)
  assert.match(asked.text, new RegExp(words.household.left))
  assert.doesNotMatch(asked.text, /Erased/)
  await browser.send(words.household.nobodyLeads.button)
  assert.equal((await getQuote(own, quoteId)).leadTenantId, third)
  assert.equal(await waits(), 0)
  rejected(await start(second, '2027-03-01'), 422, 'validation_failed')
  const { data } = succeeded(await own.get('/Quotes'))
  assert.equal(data.find((quote) => quote.quoteId === quoteId)?.leadTenantId, third)

  succeeded(await finalise(own, third))
  await opened(third, second)
  await advanceClock(own, { days: 3 })
  await sentOnce(own, third, 'nudge', [])
  assert.deepEqual(await mailsTo(own, second, 'nudge'), [], 'only the lead can go on')
  succeeded(await own.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [lead] }))
  assert.equal((await getQuote(own, quoteId)).leadTenantId, third)
})

test('a link is made when its e-mail leaves, for whom it reaches; none is sent that was revoked or opens nothing', async () => {
  const own = await connectNewPartner(service)
  const invited = async () => {
    const { quoteId, tenants } = await inviteHousehold(own, ['Ada Lead'])
    return { quoteId, customerId: tenants[0]?.customerId ?? '' }
  }
  const [corrected, revoked, cancelled] = [await invited(), await invited(), await invited()]
  succeeded(await own.patch(`/Customers/${corrected.customerId}`, { email: 'ada.right@example.com' }))
  succeeded(await own.post(`/Customers/${revoked.customerId}/onboarding-links/revoke`))
  succeeded(await own.post(`/Quotes/${cancelled.quoteId}/cancel`))
  await advanceClock(own, { seconds: 60 })
  for (const { customerId } of [revoked, cancelled])
    assert.deepEqual(
      (await mailsTo(own, customerId, 'link')).map(({ outcome }) => outcome),
      ['obsolete'],
    )
  const { customerId } = corrected
  const { to, text } = await sentOnce(own, customerId, 'link', [])
  assert.match(to, /ada\.right@/)
  const browser = new TenantBrowser(service.baseUrl)
  const [url = ''] = /https?:\S+\/links\/\S+/.exec(text) ?? []
  assert.equal((await browser.open(new URL(url).pathname)).status, 200)
  const [, token = ''] = /not-me\/(\S+)/.exec(text) ?? []
  assert.equal((await refuse(customerId, token, 'refuse'))?.isRefused, true)
  assert.equal(await askForCode(customerId, '204816'), 'refused', 'it refuses the address that it reached')
})

test('a housemate’s link is called sent only once the mail server took it', async () => {
  const own = await connectNewPartner(service)
  const [{ customerId } = assert.fail()] = (await inviteHousehold(own, ['Ada Lead'])).tenants
  await advanceClock(own, { seconds: 60 })
  const browser = await openPages(service, own, customerId, { withCode: true })
  await browser.open(`/my-bills/${customerId}/household`)
  const add = async (name: string) => {
    const housemate = { name, email: `${name}@example.com`, permission: 'yes' }
    return noticeOf(await browser.send(words.household.addButton, housemate))
  }
  const mails = join(service.config.dataDir, 'mails')
  await rename(mails, `${mails}.away`)
  try {
    await writeFile(mails, 'a file, in which no e-mail can be written')
    assert.equal(await add('Ben'), words.notices.link_not_taken)
  } finally {
    await rename(`${mails}.away`, mails).catch(async () => {
      await rm(mails)
      await rename(`${mails}.away`, mails)
    })
  }
  assert.equal(await add('Cy'), words.notices.link_sent)
})

test('an e-mail that was written before its address refused it is not sent', async () => {
  const own = await connectNewPartner(service)
  const [tenant = assert.fail()] = (await inviteHousehold(own, ['Una Wanted'])).tenants
  const { customerId } = tenant
  const token = await withDatabaseKeys(service, async ({ databases, cipher }) =>
    (await refusalLinksOf(databases, cipher)).sign({
      ...{ customerId: customerId as Id<'tenant'>, emailHash: emailHash(cipher, 'una.wanted@example.com') },
      expiresAt: new Date(Math.floor(clock.now().getTime() / 1000) * 1000 + 60_000),
    }),
  )
  assert.equal((await refuse(customerId, token, 'refuse'))?.isRefused, true)
  await advanceClock(own, { seconds: 30 })
  assert.deepEqual(
    (await mailsTo(own, customerId)).map(({ kind, outcome }) => [kind, outcome]),
    [['link', 'refused']],
  )
})

test('who says "this is not me" is sent nothing before a contract for that partner, whatever the key of hashes', async () => {
  const own = await connectNewPartner(service)
  const another = await connectNewPartner(service)
  const [tenant = assert.fail()] = (await inviteHousehold(own, ['Ada Lead'])).tenants
  const [elsewhere = assert.fail()] = (await inviteHousehold(another, ['Ada Lead'])).tenants
  const { customerId } = tenant
  const codes = async () => {
    const became = await askForCode(customerId, '204816')
    await advanceClock(own, { seconds: 60 })
    return became
  }
  await advanceClock(own, { seconds: 60 })
  const { text } = await sentOnce(own, customerId, 'link', [])
  const [, token = assert.fail()] = /not-me\/(\S+)/.exec(text) ?? []
  assert.equal(await codes(), 'queued')
  await sentOnce(own, customerId, 'confirmation_code', ['204816 is your code'])

  assert.equal(await refuse(customerId, `${token}x`, 'refuse'), undefined)
  assert.deepEqual(await refuse(customerId, token, 'read'), { partnerName: await nameOf(customerId), isRefused: false })
  assert.equal((await refuse(customerId, token, 'refuse'))?.isRefused, true)
  assert.equal(await codes(), 'refused')
  succeeded(await own.post(`/Customers/${customerId}/onboarding-links`))
  await advanceClock(another, { seconds: 60 })
  const outcomes = async () => (await mailsTo(own, customerId)).map(({ kind, outcome }) => `${kind} ${outcome}`)
  assert.deepEqual((await outcomes()).slice(2), ['confirmation_code refused', 'link refused'])
  const { data } = succeeded(await own.get('/Customers'))
  assert.deepEqual(
    data.map(({ lastEmail }) => lastEmail),
    ['refused'],
  )
  assert.equal((await sentOnce(another, elsewhere.customerId, 'link', [])).to.includes('ada.lead'), true)

  assert.equal((await refuse(customerId, token, 'read'))?.isRefused, true)
  assert.equal((await refuse(customerId, token, 'allow'))?.isRefused, false)
  assert.equal(await codes(), 'queued')
  assert.equal((await refuse(customerId, token, 'refuse'))?.isRefused, true)
  await onboard(own, customerId, { email: 'ada.lead@example.com' })
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, customerId, 'contract_in_force', [])

  await askForLink(customerId)
  await advanceClock(own, { seconds: 60 })
  const fresh = await sentOnce(own, customerId, 'fresh_link', [`${service.baseUrl}/my-bills/${customerId}/links/`])
  assert.doesNotMatch(fresh.text, /not-me/, 'a customer is told what they must know')
})

test('a tenant is asked whether their tenancy ends, never who says so, and is told what becomes of it', async () => {
  const own = await connectNewPartner(service)
  const household = await startHousehold(own)
  const [first = '', second = ''] = household.tenants
  for (const tenant of household.tenants) await onboard(own, tenant, { supplyDuringCancellation: true })
  const path = `/Quotes/${household.quoteId}/end-household` as const
  const said = { lastDay: '2027-06-30', reason: 'tenancy_ended', evidence: 'tenants_notice' }
  succeeded(await own.post(path, said))
  await advanceClock(own, { seconds: 60 })
  const asked = await sentOnce(own, first, 'tenancy_end_question', [
    'We were told that your tenancy of',
    'ends on 30 June 2027. Is that right for you?',
    'Yes, I leave too',
    'Your answer counts until the end of 30 June 2027.',
    'Your contract goes on, and we ask you in person.',
  ])
  assert.doesNotMatch(asked.text, /Robin Example2|tenants_notice|gave notice/, 'it does not say who told us, or why')
  const operator = await connectOperator(service)
  succeeded(await operator.post(`/Customers/${first}/answer-tenancy-end`, { answer: 'leaves' }))
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, first, 'notice_received', ['Last day of the contract: 30 June 2027'])
  succeeded(await operator.post(`/Customers/${first}/answer-tenancy-end`, { answer: 'stays' }))
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, first, 'end_taken_back', ['it goes on until its agreed last day'])
  succeeded(await own.post(path, { ...said, lastDay: null }))
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, second, 'tenancy_end_outcome', ['Your contract goes on', 'Nobody says so any more'])
  assert.equal((await mailsTo(own, first, 'tenancy_end_outcome')).length, 0, 'who has answered need not be told')
  succeeded(await operator.post(`/Customers/${second}/report-death`, { relationship: 'Their landlord' }))
  const decision = { outcome: 'confirmed', lastDay: '2027-03-01' }
  succeeded(await operator.post(`/Customers/${second}/decide-death`, decision))
  await advanceClock(own, { seconds: 60 })
  const told = await sentOnce(own, first, 'share_ended', ['1 March 2027', 'what you pay stays the same'])
  assert.doesNotMatch(told.text, /died|death|landlord/i, 'it does not say why')

  succeeded(await operator.post(`/Customers/${first}/report-death`, { relationship: 'Their landlord' }))
  await goTo(own, '2027-02-10')
  assert.deepEqual(await mailsTo(own, first, 'payment_due'), [])
  succeeded(await operator.post(`/Customers/${first}/decide-death`, { outcome: 'lifted' }))
  await advanceClock(own, { seconds: 60 })
  const held = await mailsTo(own, first, 'payment_due')
  assert.ok(held.length > 0)
  for (const { text } of held) {
    assert.match(text, /On 20 February 2027 we take £/)
    assert.match(text, /It was due on \d+ \w+ 2027\. We did not take it then,[^.]+\. There is no fee for that\./)
    assert.doesNotMatch(text, /died|death|landlord/i)
  }
})

test('a card on which nobody is to sign any more: what nobody signed is priced anew and its tenants told, the rest is listed', async () => {
  const own = await connectNewPartner(service)
  const operator = await connectOperator(service, ['rates:write', 'contracts:read'])
  await publishChangedRateCard(service, { id: 'mistaken-card', packages: await packagesWithRatesMultiplied(0.5) })
  const { quoteId: draft } = await createQuote(own)
  const { quoteId: uninvited, lead: stranger } = await startHousehold(own, { tenants: 1 })
  const [open, active] = [
    await inviteHousehold(own, ['Ada Lead']),
    await inviteHousehold(own, ['Ben Lead', 'Cy Other']),
  ]
  const [lead = assert.fail()] = active.tenants
  await finalise(own, lead.customerId)
  await attachCard(own, lead.customerId)
  const signed = await startHousehold(own, { tenants: 2 })
  await onboard(own, signed.lead)
  const done = await startHousehold(own, { tenants: 1 })
  await onboard(own, done.lead)
  await advanceClock(own, { seconds: 60 })
  const before = await getQuote(own, active.quoteId)

  const withdraw = async (query: string) =>
    succeeded(await operator.post<Static<typeof WithdrawnRateCard>>(`/RateCards/mistaken-card/withdraw${query}`))
  const { state, effect } = await withdraw('?dryRun=true&stopSigning=true')
  const [cheap, dear] = await Promise.all(
    ['mistaken-card', 'price-cap-2026-q4-gb-average'].map(async (quotingToolVersionId) => {
      const { lead: _, ...same } = await startHousehold(own, {
        tenants: 1,
        quotingToolVersionId,
        addressUid: done.addressUid,
      })
      const { totalCost: cost } = await totalCost(own, same.quoteId)
      succeeded(await own.post(`/Quotes/${same.quoteId}/cancel`))
      return cost
    }),
  )
  const households = succeeded(
    await operator.get<Static<typeof RateCardHouseholdList>>('/RateCards/mistaken-card/households?limit=1'),
  )
  const next = succeeded(
    await operator.get<Static<typeof RateCardHouseholdList>>(
      `/RateCards/mistaken-card/households?cursor=${households.nextCursor}`,
    ),
  )
  const lines = [...households.data, ...next.data]
  assert.deepEqual(
    [state, effect.defaultId, effect.open, effect.active, effect.signed, effect.difference],
    [
      'on_sale',
      'price-cap-2026-q4-gb-average',
      ...[3, 1, 2],
      lines.reduce((sum, { difference }) => sum + (difference ?? assert.fail()), 0),
    ],
  )
  assert.deepEqual(
    lines.map(({ quoteId, status }) => [quoteId, status]),
    [
      [signed.quoteId, 'active'],
      [done.quoteId, 'completed'],
    ].sort(),
  )
  const line = lines.find(({ quoteId }) => quoteId === done.quoteId)
  assert.equal(line?.totalCost, cheap)
  assert.equal(line?.difference, (dear ?? 0) - (cheap ?? 0))

  const stop = () => runStopSigning(service, clock)
  await withdraw('')
  await stop()
  assert.deepEqual(await getQuote(own, active.quoteId), before, 'withdrawing alone leaves the offers')
  assert.notEqual((await withdraw('?stopSigning=true')).signingStoppedAt, null)
  await stop()
  const events = () =>
    rawRows(service, `select data from events where data ->> 'quoteId' = $1 order by event_id`, [active.quoteId])
  const recorded = await events()
  await stop()
  assert.deepEqual(await events(), recorded, 'the next run finds nothing')
  assert.ok(recorded.some(({ data }) => (data as { reason?: string }).reason === 'price_withdrawn'))
  const after = await getQuote(own, active.quoteId)
  assert.equal(after.status, before.status === 'active' ? 'TenantsAdded' : assert.fail())
  for (const quoteId of [uninvited, open.quoteId, active.quoteId])
    assert.equal((await getQuote(own, quoteId)).quotingToolVersionId, 'price-cap-2026-q4-gb-average')
  assert.ok(new Date((await getQuote(own, draft)).expiresAt) <= new Date(after.pricedAt), 'nothing to price: expired')
  rejected(await own.post(`/Quotes/${draft}/add-packages`, { packageIds: ['gas-standard'] }), 422, 'quote_expired')
  await advanceClock(own, { seconds: 60 })
  for (const { customerId } of [...open.tenants, ...active.tenants])
    await sentOnce(own, customerId, 'price_withdrawn', ['We have withdrawn the price', 'Read the new offer'])
  assert.deepEqual(await mailsTo(own, stranger), [])

  const onCard = async () =>
    succeeded(await own.get('/Quotes?quotingToolVersionId=mistaken-card&limit=100'))
      .data.filter(({ quoteId, status }) => quoteId !== draft && status !== 'cancelled')
      .map(({ quoteId }) => quoteId)
  assert.deepEqual((await onCard()).sort(), [signed.quoteId, done.quoteId].sort())
  const file = async (id: string) =>
    succeeded(await operator.get<Record<string, unknown>[]>(`/Contracts/export?format=json&quotingToolVersionId=${id}`))
  const inFile = await file('mistaken-card')
  assert.deepEqual(inFile.map(({ quoteId }) => quoteId).sort(), [signed.quoteId, done.quoteId].sort())
  for (const { quotingToolVersionId } of inFile) assert.equal(quotingToolVersionId, 'mistaken-card')
  assert.ok(!(await file('price-cap-2026-q4-gb-average')).some(({ quoteId }) => quoteId === done.quoteId))

  succeeded(await own.post(`/Quotes/${signed.quoteId}/reopen`))
  await stop()
  assert.deepEqual(await onCard(), [done.quoteId], 'a household that is reopened is on offer again, and ended')
})

test('the catalogue has words for every kind, and every kind was seen here', () => {
  assert.deepEqual(Object.keys(tenantMailWords).sort(), [...seen].sort())
  assert.deepEqual(kindsThat('isReminder'), ['nudge', 'lock_ending'])
})

const mailContext = {
  ...{ partnerName: 'Acme', home: '1 High Street', abandonedQuoteDays: 90 },
  privacyUrl: 'https://bills.example/privacy',
}

test('whom a tenant has named is told that a tenant did, and not their partner', () => {
  const facts = { services: [], isAlone: false }
  const wordsFor = (actor: 'tenant' | 'partner', namedBy: string | null = null) => {
    const context = { ...mailContext, trader: { ...trader, address: [] }, actor }
    return JSON.stringify(tenantMailWords.link({ ...facts, namedBy }, context))
  }
  for (const actor of ['tenant', 'partner'] as const)
    assert.match(
      wordsFor(actor),
      /we delete them 90 days after the offer ends\..*Acme about its own list of tenants.*\/privacy/,
    )
  assert.match(wordsFor('partner'), /Acme has named you as a tenant of 1 High Street.*Acme gave us your name/)
  assert.match(wordsFor('tenant', 'Ada'), /Ada has named you as a tenant of 1 High Street.*Ada gave us/)
  assert.doesNotMatch(wordsFor('tenant'), /£|save|cheap|best|great|easy/i)
  assert.match(wordsFor('tenant'), /Another tenant has named you as a tenant of 1 High Street.*That tenant gave us/)
})

test('the confirmation names the only payment as such, and who supplies the home until the first day', () => {
  const wordsFor = (services: string[], isOnly: boolean, takesOver = false, isPrepaid = false) =>
    JSON.stringify(
      tenantMailWords.contract_in_force(
        {
          ...{ contractNumber: 'C1', services, effectiveAt: new Date(testTime), isShared: false, takesOver, isPrepaid },
          ...{ startsOn: isoDate('2027-01-04'), endsOn: isoDate('2027-02-03') },
          firstPayment: { date: isoDate('2027-02-01'), amount: pence(5_000), isOnly },
        },
        { ...mailContext, trader, actor: 'tenant' },
      ),
    )
  assert.match(wordsFor(['gas'], true), /We take your payment, £50\.00, from your card\. There are no more payments\./)
  assert.match(wordsFor(['gas'], false), /We take your first payment, .* The contract lists the payments after it\./)
  const present = /Until then, the home’s present supplier supplies you\. Read the meters on the day you get the keys/
  assert.match(wordsFor(['gas', 'broadband'], false), present)
  assert.doesNotMatch(wordsFor(['broadband'], false), present)
  assert.doesNotMatch(wordsFor(['gas'], false, true), present, 'we supply the home already')
  assert.match(
    wordsFor(['gas'], false, false, true),
    /Do not top up with a key, card or app that you found in the home/,
  )
  assert.doesNotMatch(wordsFor(['gas'], false), /top up/)
})

test('what is over by the time the mail server takes e-mails is not sent: a code, a reminder, a payment', async () => {
  const own = await connectNewPartner(service)
  const [tenant = assert.fail()] = (await inviteHousehold(own, ['Ada Lead'])).tenants
  const { customerId } = tenant
  await askForCode(customerId, '204816')
  await opened(customerId)
  await advanceClock(own, { days: 3 })
  await sentOnce(own, customerId, 'nudge', ['You have opened your pages'])
  await onboard(own, customerId, { email: 'ada.lead@example.com' })
  const { paymentSchedule } = succeeded(await own.get(`/Customers/${customerId}/payment-schedules`))
  const firstDay = isoDate(paymentSchedule.payments[0]?.date ?? '')
  await goTo(own, addDays(firstDay, -1))
  await sentOnce(own, customerId, 'payment_due', [])
  await goTo(own, addDays(firstDay, 1))
  // As if the mail server had taken none of them in all that time.
  await rawRows(
    service,
    `update tenant_mails set outcome = null, ended_at = null, next_attempt_at = created_at where customer_id = $1`,
    [customerId],
  )
  await advanceClock(own, { seconds: 1 })
  const outcomes = (await mailsTo(own, customerId)).map(({ kind, outcome }) => `${kind} ${outcome}`)
  assert.deepEqual(outcomes, [
    'link sent',
    'confirmation_code obsolete',
    'nudge obsolete',
    'contract_in_force sent',
    'payment_due obsolete',
  ])
})
