import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Static } from 'typebox'
import type { CustomerTimeline, FoundCustomerList } from '../../src/back-office/people/find-customers.route.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, psrDetails, startHousehold } from '../support/household.ts'
import { connectOperator, type Operator, readPages } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

type Found = Static<typeof FoundCustomerList>
type Timeline = Static<typeof CustomerTimeline>

const service = await shareTestService()
const unique = `${process.pid}-${Date.now()}`
const email = `Ada.${unique}@Example.com`
const reference = `order ${unique}`
let operator: Operator
let partner: Partner
let other: Partner
/** The same person with two partners; the second household has the same reference. */
let first: { quoteId: string; lead: string }
let second: { quoteId: string; lead: string }
before(async () => {
  operator = await connectOperator(service, ['support:read'])
  partner = await connectPartner(service.baseUrl, service.credentials)
  other = await connectNewPartner(service)
  first = await startHousehold(partner, { tenants: 2, reference })
  second = await startHousehold(other, { tenants: 1, reference })
  await onboard(partner, first.lead, { email, phone: '+447700900641' })
  await onboard(other, second.lead, { email: email.toLowerCase(), phone: '+447700900642' })
})

const find = async (query: Record<string, string>) =>
  succeeded(await operator.get<Found>(`/Customers?${new URLSearchParams(query)}`)).data
const idsOf = (found: Found['data']) => found.map(({ customerId }) => customerId).sort()

test('a person is found at every partner by e-mail in any letter case, and by phone in any form', async () => {
  const both = [first.lead, second.lead].sort()
  assert.deepEqual(idsOf(await find({ email: email.toUpperCase() })), both)
  assert.deepEqual(idsOf(await find({ email, phone: '07700 900641' })), [first.lead])
  assert.deepEqual(await find({ email, phone: '07700 900999' }), [])
  const [found] = await find({ phone: '+44 7700 900642', email })
  assert.equal(found?.quoteId, second.quoteId)
  assert.equal(found?.personalDetails.email, email.toLowerCase())
  assert.equal(found?.reference, reference)
  assert.deepEqual(
    found?.contracts.map(({ status }) => status),
    ['in_force'],
  )
})

test('a person is found by the new phone number after a change, and no longer by the old one', async () => {
  succeeded(await partner.patch(`/Customers/${first.lead}`, { phone: '07700 900643' }))
  assert.deepEqual(await find({ email, phone: '07700900641' }), [])
  assert.deepEqual(idsOf(await find({ email, phone: '07700900643' })), [first.lead])
})

test('households are found by the reference of any partner, by branch, postcode and contract number', async () => {
  const byReference = await find({ reference })
  assert.equal(byReference.length, 3)
  succeeded(await partner.patch(`/Quotes/${first.quoteId}`, { branch: `York ${unique}` }))
  assert.deepEqual(idsOf(await find({ branch: `York ${unique}` })), idsOf(await find({ quoteId: first.quoteId })))
  const [found] = await find({ reference, email })
  const postcode = found?.address.postCode.replace(' ', '').toLowerCase() ?? ''
  assert.deepEqual(idsOf(await find({ reference, postcode })), idsOf(byReference))
  assert.deepEqual(await find({ reference, postcode: 'ZE1 0AA' }), [])
  const [{ contractNumber = '' } = {}] = found?.contracts ?? []
  assert.equal((await find({ contractNumber }))[0]?.customerId, found?.customerId)
  assert.equal((await find({ contractNumber: contractNumber.replaceAll('-', ' ') }))[0]?.customerId, found?.customerId)
  assert.deepEqual(await find({ contractNumber: '0000-0000-0000' }), [])
})

test('a search is read page by page, and every page is an entry in the audit log of its partners', async () => {
  const query = new URLSearchParams({ reference, limit: '2' })
  const seen = idsOf(await readPages<Found['data'][number]>(operator, `/Customers?${query}`))
  assert.deepEqual(seen, idsOf(await find({ reference })))
  const entries = await rawRows(
    service,
    `select distinct partner_id from audit_log where operation = 'findCustomers' and credential = $1
     and fields && $2::text[]`,
    [operator.clientId, seen],
  )
  assert.equal(entries.length, 2)
})

test('a search without a key, or with one in a wrong form, names it', async () => {
  const none = rejected(await operator.get('/Customers'), 400, 'invalid_request')
  assert.match(none.detail ?? '', /at least one of email, phone, postcode, reference, branch, contractNumber, quoteId/)
  for (const [query, pointer] of [
    ['phone=12', '/query/phone'],
    ['postcode=nowhere', '/query/postcode'],
    ['email=a@example.com&cursor=abc', '/query/cursor'],
  ]) {
    const problem = rejected(await operator.get(`/Customers?${query}`), 422, 'validation_failed')
    assert.deepEqual(invalidFields(problem), [[pointer, 'wrong_format']])
  }
})

test('a tenant who was erased is found by what is not personal only', async () => {
  const b = `${reference} b`
  const { quoteId, lead, tenants } = await startHousehold(partner, { tenants: 3, reference: b })
  const [, staying = '', leaving = ''] = tenants
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [leaving] }))
  assert.deepEqual(idsOf(await find({ reference: b })), [lead, staying].sort(), 'who never agreed is deleted')
  const { email: address } = succeeded(await partner.get(`/Customers/${lead}`)).personalDetails
  assert.deepEqual(idsOf(await find({ reference: b, email: address })), [lead])
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  assert.deepEqual(await find({ reference: b, email: address }), [])
  const erased = (await find({ reference: b })).find(({ customerId }) => customerId === lead)
  assert.notEqual(erased?.erasedAt, null)
  assert.equal(erased?.personalDetails.firstName, 'Erased')
})

test('a timeline says what happened and by whom, and is itself recorded', async () => {
  const path = `/Customers/${first.lead}/timeline`
  const { entries } = succeeded(await operator.get<Timeline>(path))
  const what = entries.map((entry) => entry.what)
  assert.ok(what.includes('customer created') && what.includes('customer.status.changed'), what.join(', '))
  const changed = entries.find((entry) => entry.by?.operation === 'updateCustomer')
  assert.deepEqual(
    [changed?.by?.actor, changed?.by?.credential, changed?.fields.includes('personal')],
    ['client', service.credentials.clientId, true],
  )
  assert.deepEqual(
    entries.map(({ at }) => at),
    entries.map(({ at }) => at).sort(),
  )
  assert.equal(changed?.by?.person, null, 'a program is no person')
  const people = await connectOperator(service, ['partners:write'])
  const invited = { name: 'Ada Lang', email: `timeline-${unique}@bills.example`, roles: [] }
  const { personId } = succeeded(await people.post<{ personId: string }>('/People', invited))
  // As an act of a person at the desk is stored.
  await rawRows(
    service,
    `insert into audit_log (partner_id, actor, credential, operation, action, subject_type, subject_id, customer_id, fields)
     select partner_id, 'operator', $1, 'desk act', 'read', 'customer', customer_id, customer_id, '{}' from customers
      where customer_id = $2`,
    [`${personId} (shared mailbox)`, first.lead],
  )
  succeeded(await people.patch(`/People/${personId}`, { name: 'Ada Byron' }))
  const again = succeeded(await operator.get<Timeline>(path)).entries
  assert.equal(again.find(({ by }) => by?.operation === 'desk act')?.by?.person, 'Ada Byron')
  const reads = again.filter(({ by }) => by?.operation === 'readTimeline')
  assert.deepEqual(
    reads.map(({ what: done, by }) => [done, by?.actor, by?.credential]),
    [['customer read', 'operator', operator.clientId]],
  )
})

test('without psr:read, a timeline is the same whether or not there are Priority Services Register details', async () => {
  succeeded(await partner.patch(`/Customers/${first.lead}`, { psrDetails: psrDetails() }))
  const seen = await operator.get<Timeline>(`/Customers/${first.lead}/timeline`)
  assert.doesNotMatch(succeeded(seen) && seen.text, /"psr/i)
  const withPsr = await connectOperator(service, ['support:read', 'psr:read'])
  assert.match((await withPsr.get(`/Customers/${first.lead}/timeline`)).text, /psr/)
})

test('a timeline of an unknown customer is 404', async () => {
  for (const id of ['tenant_01m7w4kmmrf2288900000000zz', 'nobody'])
    rejected(await operator.get(`/Customers/${id}/timeline`), 404, 'not_found')
})
