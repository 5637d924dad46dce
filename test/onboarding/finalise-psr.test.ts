import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { compose } from '../../src/app/compose.ts'
import { finalisePersonalInformation } from '../../src/onboarding/finalise-personal-information.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { isId } from '../../src/platform/kernel/ids.ts'
import { callerForCustomer } from '../../src/privacy/caller-for-customer.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { finalise, psrContact, psrDetails, startHousehold } from '../support/household.ts'
import { connectAnotherPartner } from '../support/partners.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const { tenants } = await startHousehold(partner)
const [lead = ''] = tenants
const submit = (details: unknown, more: Record<string, unknown> = {}) =>
  finalise(partner, lead, { psrDetails: details, ...more })
const rejectedFields = async (details: unknown, status: number, code: string) =>
  invalidFields(rejected(await submit(details), status, code))

interface Definition {
  code: string
  extra: string
}
const { data: definitions } = succeeded(await partner.get('/Customers/psr-categories')) as { data: Definition[] }

test('PSR details are accepted if every category has the date it needs', async () => {
  const categories = definitions.map(({ code, extra }) =>
    extra === 'none' ? { code } : { code, expiryDate: '2027-06-30' },
  )
  assert.equal(categories.length, 29)
  succeeded(await submit(psrDetails({ categories })))
  for (const { code, extra } of definitions)
    if (extra === 'none') succeeded(await submit(psrDetails({ categories: [{ code }] })))
})

test('PSR details without the date of a temporary category are rejected; the young children category accepts an expiry or a birth date', async () => {
  const missing = ['29', '32', '33', '34'].map((code) => ({ code }))
  assert.deepEqual(
    await rejectedFields(psrDetails({ categories: missing }), 422, 'validation_failed'),
    missing.map((_, index) => [`/psrDetails/categories/${index}/expiryDate`, 'required']),
  )
  const child = { youngestChildDateOfBirth: '2025-03-01' }
  succeeded(await submit(psrDetails({ categories: [{ code: '29', ...child }] })))
  succeeded(await submit(psrDetails({ categories: [{ code: '29', expiryDate: '2028-03-01' }] })))
  const wrongDate = { categories: [{ code: '32', ...child }] }
  assert.deepEqual(await rejectedFields(psrDetails(wrongDate), 422, 'validation_failed'), [
    ['/psrDetails/categories/0/expiryDate', 'required'],
  ])
})

test('PSR details with an unknown code or an invalid date are rejected with a pointer to the entry', async () => {
  const categories = [{ code: '99' }, { code: '8' }, { code: '32', expiryDate: '2027-02-30' }]
  assert.deepEqual(await rejectedFields(psrDetails({ categories }), 422, 'validation_failed'), [
    ['/psrDetails/categories/0/code', 'not_allowed'],
    ['/psrDetails/categories/1/code', 'not_allowed'],
    ['/psrDetails/categories/2/expiryDate', 'wrong_format'],
  ])
})

test('PSR details are rejected if, on the sandbox clock, an entry has expired or a birth date is in the future', async () => {
  const own = await connectAnotherPartner(service)
  const { tenants: theirs } = await startHousehold(own, { tenants: 1 })
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const categories = [
    { code: '32', expiryDate: day(10) },
    { code: '29', youngestChildDateOfBirth: day(-1) },
    { code: '30', expiryDate: day(100) },
  ]
  const send = (given: unknown) => finalise(own, theirs[0] ?? '', { psrDetails: psrDetails({ categories: given }) })
  succeeded(await send(categories))
  const birthAhead = [{ code: '29', youngestChildDateOfBirth: day(2) }]
  assert.deepEqual(invalidFields(rejected(await send(birthAhead), 422, 'validation_failed')), [
    ['/psrDetails/categories/0/youngestChildDateOfBirth', 'out_of_range'],
  ])
  await advanceClock(own, { days: 12 })
  assert.deepEqual(invalidFields(rejected(await send(categories), 422, 'validation_failed')), [
    ['/psrDetails/categories/0/expiryDate', 'out_of_range'],
  ])
  succeeded(await send(birthAhead))
})

test('PSR details that lack only the authorised contact return psr_contact_required', async () => {
  const details = psrDetails({ authorisedContact: undefined })
  assert.deepEqual(await rejectedFields(details, 422, 'psr_contact_required'), [
    ['/psrDetails/authorisedContact', 'psr_contact_required'],
  ])
  const young = await submit(details, { dateOfBirth: '2020-01-01' })
  assert.deepEqual(invalidFields(rejected(young, 422, 'validation_failed')), [
    ['/dateOfBirth', 'customer_under_18'],
    ['/psrDetails/authorisedContact', 'psr_contact_required'],
  ])
})

test('PSR details with only hasPsr return an error that lists the missing categories, consent and contact together', async () => {
  assert.deepEqual(await rejectedFields({ hasPsr: true }, 422, 'psr_contact_required'), [
    ['/psrDetails/authorisedContact', 'psr_contact_required'],
    ['/psrDetails/categories', 'required'],
    ['/psrDetails/consentToShare', 'required'],
  ])
  assert.deepEqual(await rejectedFields(psrDetails({ categories: [] }), 422, 'validation_failed'), [
    ['/psrDetails/categories', 'required'],
  ])
})

test('PSR details are rejected if consent to share them is missing, or if the contact has not agreed to be named', async () => {
  assert.deepEqual(await rejectedFields(psrDetails({ consentToShare: false }), 422, 'validation_failed'), [
    ['/psrDetails/consentToShare', 'required'],
  ])
  const authorisedContact = psrContact({ consentGiven: false })
  assert.deepEqual(await rejectedFields(psrDetails({ authorisedContact }), 422, 'validation_failed'), [
    ['/psrDetails/authorisedContact/consentGiven', 'not_allowed'],
  ])
})

test('PSR details with wrong shapes return 400 with an error for each wrong shape and each invalid format', async () => {
  const details = {
    categories: [{ code: 8, sinceWhen: '2020' }, 'blind'],
    authorisedContact: { firstName: 'Sam', phone: 'none', email: 'none' },
    consentToShare: 'yes',
    secretWord: 'x',
  }
  assert.deepEqual(await rejectedFields(details, 400, 'invalid_request'), [
    ['/psrDetails/authorisedContact/consentGiven', 'required'],
    ['/psrDetails/authorisedContact/email', 'wrong_format'],
    ['/psrDetails/authorisedContact/lastName', 'required'],
    ['/psrDetails/authorisedContact/phone', 'wrong_format'],
    ['/psrDetails/authorisedContact/relationship', 'required'],
    ['/psrDetails/categories/0/code', 'wrong_type'],
    ['/psrDetails/categories/0/sinceWhen', 'unknown_field'],
    ['/psrDetails/categories/1', 'wrong_type'],
    ['/psrDetails/consentToShare', 'wrong_type'],
    ['/psrDetails/hasPsr', 'required'],
    ['/psrDetails/secretWord', 'unknown_field'],
  ])
  assert.deepEqual(await rejectedFields([], 400, 'invalid_request'), [['/psrDetails', 'wrong_type']])
})

test('PSR details are deleted if a later submission has none, or null', async () => {
  for (const none of [undefined, null]) {
    succeeded(await submit(psrDetails()))
    succeeded(await submit(none))
    const [row] = await rawRows(service, 'select psr_encrypted as psr from customers where customer_id = $1', [lead])
    assert.equal(row?.psr, null)
  }
})

test('PSR details, when they were given, and the request for early supply stay if other details are saved without them', async () => {
  succeeded(await submit(psrDetails({ notes: 'kept' }), { supplyDuringCancellation: true }))
  const about = async () => {
    const {
      psrDetails: psr,
      psrGivenAt,
      supplyDuringCancellation,
    } = succeeded(await partner.get(`/Customers/${lead}/export`))
    return { psr, psrGivenAt, supplyDuringCancellation }
  }
  const before = await about()
  const customerId: string = lead
  assert.ok(isId('tenant', customerId))
  const databases = await openDatabases(service.connectionString)
  const { config, environment } = service
  const opened = { config, databases, log: pino({ level: 'silent' }) }
  const secrets = await loadSecrets(environment, 'sandbox', config.dataDir)
  const { services, upstreams, closeRenderer } = await compose({ ...opened, secrets }, { clock: systemClock })
  const caller = await callerForCustomer({ databases, clock: systemClock }, customerId)
  assert.ok(caller)
  const db = databases.forPartner(caller.partnerId)
  await finalisePersonalInformation({ ...services, db }, caller, customerId, {
    personal: { firstName: 'Saved', phone: '+447700900555' },
    psr: undefined,
    earlySupplyRequested: undefined,
    contractStartDate: undefined,
    contractEndDate: undefined,
  })
  await Promise.all([closeRenderer(), upstreams.close()])
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).personalDetails.firstName, 'Saved')
  assert.deepEqual(await about(), before)
  assert.equal(before.psr?.notes, 'kept')
})

test('stored PSR details are in no response and no event', async () => {
  succeeded(await submit(psrDetails({ notes: 'uses-oxygen-at-night' })))
  const { text } = await partner.get(`/Customers/${lead}`)
  // Ids contain any letters.
  assert.doesNotMatch(text, /"psr|oxygen|Carer"/i)
  const events = JSON.stringify(await rawRows(service, 'select data from events'))
  assert.doesNotMatch(events, /"psr|oxygen|Carer"|Morgan|@/i)
})

/** The two-digit codes that the energy industry uses for customers' needs. */
// biome-ignore format: rows read better
const everyCode = [
  '01', '02', '03', '04', '08', '09', '12', '14', '15', '17', '18', '19', '20', '22', '23',
  '24', '25', '26', '27', '28', '29', '30', '31', '32', '33', '34', '35', '36', '37',
]

test("the categories are the register's 29 needs codes, each listed once", async () => {
  const { data } = succeeded(await partner.get('/Customers/psr-categories'))
  assert.deepEqual(
    data.map(({ code }) => code),
    everyCode,
  )
})

test('temporary categories need an expiry date, young children need an expiry or a birth date, and others need no date', async () => {
  const { data } = succeeded(await partner.get('/Customers/psr-categories'))
  const asking = data.filter(({ extra }) => extra !== 'none')
  assert.deepEqual(
    asking.map(({ code, extra }) => [code, extra]),
    [
      ['29', 'expiry-date-or-youngest-child'],
      ['32', 'expiry-date'],
      ['33', 'expiry-date'],
      ['34', 'expiry-date'],
    ],
  )
})

test("the categories include those that the specification names, in the industry's words", async () => {
  const { data } = succeeded(await partner.get('/Customers/psr-categories'))
  const names: string[] = data.map(({ name }) => name)
  for (const wanted of [
    /^Blind$/,
    /^Partially sighted$/,
    /^Hearing impairment/,
    /^Mental health$/,
    /^Dementia.*cognitive impairment$/,
    /^Physical impairment$/,
    /^Restricted hand movement$/,
    /^Pensionable age$/,
    /^Families with young children/,
  ])
    assert.equal(names.filter((name) => wanted.test(name)).length, 1, String(wanted))
})
