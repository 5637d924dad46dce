import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { finalise, onboard, personalInformation, startHousehold } from '../support/household.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const household = await startHousehold(partner, { tenants: 3 })
const [lead = '', second = '', third = ''] = household.tenants
const submit = (body: unknown, customerId = lead) =>
  partner.post(`/Customers/${customerId}/finalise-personal-information`, body)
const personalDetails = async (customerId = lead) =>
  succeeded(await partner.get(`/Customers/${customerId}`)).personalDetails

test('a complete submission returns PersonalInfoComplete, whether psrDetails is left out or has hasPsr false', async () => {
  const expected = {
    customerId: lead,
    status: 'PersonalInfoComplete',
    personalInfoComplete: true,
    warnings: [],
    warningDetails: [],
  }
  assert.deepEqual(succeeded(await submit(personalInformation())), expected)
  assert.deepEqual(succeeded(await submit(personalInformation({ psrDetails: { hasPsr: false } }))), expected)
})

test('a later submission replaces the previous one', async () => {
  succeeded(await submit(personalInformation({ firstName: 'First', email: 'before@example.com' }), third))
  const before = await personalDetails(third)
  const again = { firstName: 'Second', lastName: 'Time', email: 'again@example.com', phone: '+44 7700 900999' }
  succeeded(await submit(personalInformation(again), third))
  assert.deepEqual(await personalDetails(third), { ...before, ...again, phone: '+447700900999' })
})

test('a submission with a field of the wrong type returns 400 and also lists invalid formats and broken rules', async () => {
  const body = { firstName: 7, lastName: '', email: 'nowhere', phone: '1', dateOfBirth: '2020-01-01', shoeSize: 9 }
  const problem = rejected(await submit({ ...body, psrDetails: { hasPsr: true } }), 400, 'invalid_request')
  assert.deepEqual(invalidFields(problem), [
    ['/dateOfBirth', 'customer_under_18'],
    ['/email', 'wrong_format'],
    ['/firstName', 'wrong_type'],
    ['/lastName', 'too_short'],
    ['/phone', 'wrong_format'],
    ['/psrDetails/authorisedContact', 'psr_contact_required'],
    ['/psrDetails/categories', 'required'],
    ['/psrDetails/consentToShare', 'required'],
    ['/shoeSize', 'unknown_field'],
  ])
})

test('an error never repeats what was submitted', async () => {
  const secret = 'zq-unrepeatable'
  const body = {
    [`field-${secret}`]: 1,
    firstName: `\u0000${secret}`,
    email: secret,
    phone: secret,
    dateOfBirth: secret,
  }
  const { text } = await submit(body)
  assert.equal(text.replaceAll(`field-${secret}`, '').includes(secret), false)
})

test('a name of 1 to 100 characters in any script is stored as written but trimmed', async () => {
  const names = [
    'X',
    'Siân-Éowyn',
    '李',
    'Ольга',
    'فاطمة',
    'अनुष्का',
    "O'Brien",
    'Ngozi Ọlọ́runtóbi',
    '𠮷'.repeat(100),
    'é'.repeat(100),
  ]
  for (const name of names) {
    succeeded(await submit(personalInformation({ firstName: name, lastName: name.length < 50 ? ` ${name} ` : name })))
    const { firstName, lastName } = await personalDetails()
    assert.deepEqual([firstName, lastName], [name, name])
  }
  for (const name of ['', '   ', 'x'.repeat(101), 'two\nlines', 'tab\tbed', '\u0000', '\ud800']) {
    const response = await submit(personalInformation({ lastName: name }))
    assert.ok(invalidFields(rejected(response, 422, 'validation_failed')).every(([pointer]) => pointer === '/lastName'))
  }
})

test('a person with one name has a hyphen as last name, which responses show and documents do not print', async () => {
  const { lead: customerId } = await startHousehold(partner)
  await onboard(partner, customerId, { firstName: 'Suharto', lastName: '-' })
  assert.equal((await personalDetails(customerId)).lastName, '-')
  const { contractUrl } = succeeded(await partner.get(`/Customers/${customerId}/pci-contract-url-html`))
  const html = await (await fetch(contractUrl)).text()
  assert.match(html, /Suharto/)
  assert.doesNotMatch(html, /Suharto -/)
  rejected(await submit(personalInformation({ firstName: '-' })), 422, 'validation_failed')
})

test('a phone number with an extension is rejected on that field, which says what to send instead', async () => {
  const { errors } = rejected(
    await submit(personalInformation({ phone: '020 7946 0018 ext. 12' })),
    422,
    'validation_failed',
  )
  assert.deepEqual(
    errors?.map(({ pointer, detail }) => [pointer, detail]),
    [
      [
        '/phone',
        'Extensions cannot be stored. Send a number that reaches the person directly, such as their mobile, or the number without its extension.',
      ],
    ],
  )
})

test('a plausible e-mail address is stored as written; any other is rejected', async () => {
  for (const email of ['First.Last+bills@sub.Example.co.uk', "o'brien@example.ie", 'josé@exämple.de', 'x@y.museum']) {
    succeeded(await submit(personalInformation({ email })))
    assert.equal((await personalDetails()).email, email)
  }
  for (const email of [
    '',
    'plain',
    '@example.com',
    'a@',
    'a b@example.com',
    'a@b..c',
    'a@@b.com',
    `${'x'.repeat(250)}@e.com`,
  ]) {
    const problem = rejected(await submit(personalInformation({ email })), 422, 'validation_failed')
    assert.ok(invalidFields(problem).every(([pointer]) => pointer === '/email'))
  }
})

test('an e-mail address that another tenant of the quote already uses, in any letter case, returns duplicate_tenant', async () => {
  succeeded(await finalise(partner, second, { email: 'Shared@Example.com' }))
  const problem = rejected(await submit(personalInformation({ email: 'sHARED@example.COM' })), 422, 'duplicate_tenant')
  assert.deepEqual(invalidFields(problem), [['/email', 'duplicate_tenant']])
  succeeded(await finalise(partner, second, { email: 'shared@example.com' }))
  const elsewhere = await startHousehold(partner)
  succeeded(await finalise(partner, elsewhere.lead, { email: 'shared@example.com' }))
})

test('an e-mail address that a tenant no longer uses can be used by another tenant', async () => {
  const { tenants } = await startHousehold(partner, {
    tenants: [
      { name: 'One', email: 'one@example.com' },
      { name: 'Two', email: 'two@example.com' },
    ],
  })
  const [one = '', two = ''] = tenants
  succeeded(await finalise(partner, one, { email: 'moved@example.com' }))
  succeeded(await finalise(partner, two, { email: 'one@example.com' }))
})
