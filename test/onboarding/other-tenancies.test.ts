import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Partner } from '../support/client.ts'
import { finalise, type HouseholdOptions, onboard, startHousehold, startPaymentSetup } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, getQuote, testTime } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

// Today is 1 December 2026.
const service = await shareTestService({}, { startAt: testTime })
const first = { contractStartDate: '2027-02-01', contractEndDate: '2027-07-31' }
const person = { name: 'Robin Example', email: 'robin@example.com' }
const details = { email: person.email }

/** A household in which the lead tenant is the person, in a property of its own. */
async function household(partner: Partner, options: HouseholdOptions = {}) {
  return startHousehold(partner, { ...first, tenants: [person], ...options })
}

/** A household of which the person is the only tenant and has accepted. */
async function completed(partner: Partner, options: HouseholdOptions = {}) {
  const created = await household(partner, options)
  await onboard(partner, created.lead, details)
  return created
}

/** The customers that finalise-personal-information names when the person joins another household. */
async function namedByNew(partner: Partner, options: HouseholdOptions = {}, email = person.email): Promise<string[]> {
  const { lead } = await household(partner, { addressUid: ordinaryProperty(1).addressUid, ...options })
  const { warnings, warningDetails } = succeeded(await finalise(partner, lead, { email }))
  assert.deepEqual(warnings, warningDetails.length === 0 ? [] : ['tenant_already_covered'])
  return warningDetails.map(({ customerId }) => customerId ?? '')
}

test("a person who is a tenant of another of the partner's quotes on the same days has a warning, until they accept", async () => {
  const own = await connectNewPartner(service)
  const earlier = await completed(own)
  const { lead } = await household(own, { addressUid: ordinaryProperty(1).addressUid, packages: ['gas'] })
  const finalised = succeeded(await finalise(own, lead, { email: 'ROBIN@example.com' }))
  const schedule = () => own.get(`/Customers/${lead}/payment-schedules`)
  for (const { warnings, warningDetails } of [finalised, succeeded(await schedule())]) {
    assert.deepEqual(warnings, ['tenant_already_covered'])
    const [{ detail, ...rest } = assert.fail('no detail')] = warningDetails
    assert.deepEqual(rest, {
      code: 'tenant_already_covered',
      quoteId: earlier.quoteId,
      customerId: earlier.lead,
    })
    assert.ok(detail.includes(earlier.quoteId) && detail.includes(earlier.lead))
    assert.doesNotMatch(JSON.stringify(warningDetails), /robin/i)
  }
  await onboard(own, lead, details)
  const accepted = succeeded(await schedule())
  assert.deepEqual([accepted.warnings, accepted.warningDetails], [[], []])
})

test('the e-mail address of the request counts, not the one that add-tenants got', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await completed(own)
  assert.deepEqual(await namedByNew(own, {}, 'somebody.else@example.com'), [])
  assert.deepEqual(await namedByNew(own, { tenants: 1 }), [lead])
})

test("tenants of another partner's quotes never cause a warning", async () => {
  const [own, other] = [await connectNewPartner(service), await connectNewPartner(service)]
  await completed(other)
  assert.deepEqual(await namedByNew(own), [])
})

test('the dates that the lead tenant sends in the same call count', async () => {
  const own = await connectNewPartner(service)
  await completed(own)
  const { lead } = await startHousehold(own, { addressUid: ordinaryProperty(1).addressUid, tenants: 1 })
  const dates = { contractStartDate: '2027-08-01', contractEndDate: '2028-07-31' }
  const before = succeeded(await finalise(own, lead, details))
  const after = succeeded(await finalise(own, lead, { ...details, ...dates }))
  assert.deepEqual([before.warnings, after.warnings], [['tenant_already_covered'], []])
})

test('tenants of a locked quote count until its lock ends; those of open and cancelled quotes do not', async () => {
  const own = await connectNewPartner(service)
  await household(own)
  const { quoteId, lead, tenants } = await household(own, { tenants: [{ ...person, email: 'a@example.com' }, person] })
  assert.deepEqual(await namedByNew(own), [])
  await startPaymentSetup(own, lead)
  assert.deepEqual(await namedByNew(own), [tenants[1]])
  await advanceClock(own, { days: 15 })
  assert.deepEqual(await namedByNew(own), [])
  assert.equal((await getQuote(own, quoteId)).status, 'TenantsAdded')
})

test('of a completed household, only those whose own contract was not cancelled count', async () => {
  const own = await connectNewPartner(service)
  const { lead, tenants } = await household(own, { tenants: [person, { ...person, email: 'b@example.com' }] })
  const [, second = ''] = tenants
  await onboard(own, lead, details)
  await onboard(own, second, { email: 'b@example.com' })
  succeeded(await own.post(`/Customers/${lead}/cancel-contract`))
  assert.deepEqual(await namedByNew(own), [])
  assert.deepEqual(await namedByNew(own, {}, 'b@example.com'), [second])
})

test('a customer who was erased or removed from a quote no longer counts', async () => {
  const own = await connectNewPartner(service)
  const { lead, tenants } = await household(own, { tenants: [{ ...person, email: 'd@example.com' }, person] })
  await startPaymentSetup(own, lead)
  assert.deepEqual(await namedByNew(own), [tenants[1]])
  succeeded(await own.post(`/Customers/${tenants[1]}/erase`))
  assert.deepEqual(await namedByNew(own), [])
  const left = await household(own, { tenants: [{ ...person, email: 'c@example.com' }, person] })
  await onboard(own, left.tenants[1] ?? '', details)
  succeeded(await own.post(`/Quotes/${left.quoteId}/reopen`))
  succeeded(await own.post(`/Quotes/${left.quoteId}/remove-tenants`, { tenantIds: [left.tenants[1]] }))
  await onboard(own, left.lead, { email: 'c@example.com' })
  assert.equal((await getQuote(own, left.quoteId)).status, 'completed')
  assert.deepEqual(await namedByNew(own), [])
})

test('a space beside an e-mail address is not part of it, and a domain that looks misspelt is warned of', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await household(own, { addressUid: ordinaryProperty(2).addressUid })
  for (const [given, email, warned] of [
    [' robin@gmail.con\n', 'robin@gmail.con', ['email_domain_unusual']],
    ['\u00a0robin@gmail.com ', 'robin@gmail.com', []],
  ] as const) {
    const { warnings, warningDetails } = succeeded(await finalise(own, lead, { email: given }))
    assert.deepEqual(warnings, warned)
    assert.deepEqual(
      warningDetails.map(({ code }) => code),
      warned,
    )
    const { personalDetails } = succeeded(await own.get(`/Customers/${lead}`))
    assert.equal(personalDetails.email, email)
  }
})
