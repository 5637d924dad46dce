import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, onboard, psrDetails, startHousehold } from '../support/household.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const change = (customerId: string, body: unknown) => partner.patch(`/Customers/${customerId}`, body)
const exported = async (customerId: string) => succeeded(await partner.get(`/Customers/${customerId}/export`))

test('a change before personal information is finalised replaces only what is sent and returns the customer', async () => {
  const { lead } = await startHousehold(partner, { tenants: [{ name: 'Robin Example', email: 'robin@example.com' }] })
  const before = succeeded(await partner.get(`/Customers/${lead}`))
  const changed = succeeded(await change(lead, { lastName: ' Green ', phone: '07700 900124' }))
  const expected = { firstName: 'Robin', lastName: 'Green', email: 'robin@example.com', phone: '+447700900124' }
  assert.deepEqual(changed.personalDetails, { ...before.personalDetails, ...expected })
  assert.equal(changed.status, 'active')
  assert.deepEqual(changed, succeeded(await partner.get(`/Customers/${lead}`)))
})

test('a change after acceptance keeps the status, the date of birth and the documents, and is audited', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const before = await exported(lead)
  const changed = succeeded(await change(lead, { firstName: 'Alexandra', email: 'new.address@example.com' }))
  assert.equal(changed.status, 'OnboardingComplete')
  const after = await exported(lead)
  assert.deepEqual(after.documents, before.documents)
  assert.deepEqual(after.personalDetails, {
    ...before.personalDetails,
    firstName: 'Alexandra',
    email: 'new.address@example.com',
  })
  const entries = after.auditLog.filter(({ operation }) => operation === 'updateCustomer')
  const isMail = ({ fields }: { fields: readonly string[] }) => fields.includes('mail_id')
  assert.equal(entries.filter(isMail).length, 3, 'a name, and the address before and after, are told by e-mail')
  assert.deepEqual(
    entries.filter((entry) => !isMail(entry)).map(({ action, fields }) => ({ action, fields })),
    [
      { action: 'changed', fields: ['devices_revision', 'email_hash', 'onboarding_revision', 'personal'] },
      { action: 'read', fields: [] },
    ],
  )
})

test('PSR details can be given, replaced and withdrawn, and are kept if the change leaves them out', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  assert.equal((await exported(lead)).psrGivenAt, null)
  succeeded(await change(lead, { psrDetails: psrDetails() }))
  succeeded(await change(lead, { phone: '07700 900124' }))
  const given = await exported(lead)
  assert.equal(given.psrDetails?.hasPsr, true)
  assert.ok(Date.now() - Date.parse(given.psrGivenAt ?? '') < 60_000)
  succeeded(await change(lead, { psrDetails: { ...psrDetails(), hasPsr: false } }))
  const { psrDetails: left, psrGivenAt } = await exported(lead)
  assert.deepEqual([left, psrGivenAt], [{ hasPsr: false }, null])
})

test('PSR details follow the same rules as in finalise-personal-information', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  const without = psrDetails({ authorisedContact: undefined })
  rejected(await change(lead, { psrDetails: without }), 422, 'psr_contact_required')
  const unknown = psrDetails({ categories: [{ code: '99' }] })
  assert.deepEqual(invalidFields(rejected(await change(lead, { psrDetails: unknown }), 422, 'validation_failed')), [
    ['/psrDetails/categories/0/code', 'not_allowed'],
  ])
})

test("another tenant's e-mail address returns 422 duplicate_tenant, and the customer's own, in other letters, is accepted", async () => {
  const { tenants } = await startHousehold(partner, { tenants: 2 })
  const [lead = '', second = ''] = tenants
  const { email } = succeeded(await partner.get(`/Customers/${second}`)).personalDetails
  const problem = rejected(await change(lead, { email: email.toUpperCase() }), 422, 'duplicate_tenant')
  assert.deepEqual(invalidFields(problem), [['/email', 'duplicate_tenant']])
  assert.equal(
    succeeded(await change(second, { email: email.toUpperCase() })).personalDetails.email,
    email.toUpperCase(),
  )
})

test('null, an empty change, and fields that cannot change return 400', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  for (const field of ['firstName', 'lastName', 'email', 'phone', 'psrDetails'])
    assert.deepEqual(invalidFields(rejected(await change(lead, { [field]: null }), 400, 'invalid_request')), [
      [`/${field}`, 'wrong_type'],
    ])
  rejected(await change(lead, {}), 400, 'invalid_request')
  for (const field of ['dateOfBirth', 'supplyDuringCancellation', 'status'])
    assert.deepEqual(invalidFields(rejected(await change(lead, { [field]: 'x' }), 400, 'invalid_request')), [
      [`/${field}`, 'unknown_field'],
    ])
})

test('a change works on a cancelled quote, and returns customer_erased after an erasure', async () => {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  succeeded(await partner.post(`/Quotes/${quoteId}/cancel`))
  succeeded(await change(lead, { phone: '07700 900124' }))
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  rejected(await change(lead, { phone: '07700 900124' }), 422, 'customer_erased')
})

const metadata = { applicant: 'A-1042' }
const tenant = { name: 'Robin Example', email: 'robin@example.com', metadata }
const read = async (customerId: string) => succeeded(await partner.get(`/Customers/${customerId}`)).metadata

test('metadata sent with add-tenants is shown with the tenant, kept when they are finalised, and exported', async () => {
  const { quoteId, lead } = await startHousehold(partner, { tenants: [tenant] })
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).tenants[0]?.metadata, metadata)
  succeeded(await finalise(partner, lead))
  assert.deepEqual(await read(lead), metadata)
  const exported = succeeded(await partner.get(`/Customers/${lead}/export`))
  assert.deepEqual([exported.metadata, exported.quote.metadata], [metadata, {}])
})

test('PATCH replaces the metadata alone, without a new version of the contract or the register entry for the operator', async () => {
  const { lead } = await startHousehold(partner, { tenants: [tenant] })
  await onboard(partner, lead)
  succeeded(await partner.patch(`/Customers/${lead}`, { psrDetails: psrDetails() }))
  const entry = () => rawRows(service, 'select version from psr_entries where customer_id = $1', [lead])
  const entryBefore = await entry()
  const versions = () =>
    rawRows(service, 'select from contract_versions join contracts using (contract_number) where customer_id = $1', [
      lead,
    ])
  const before = await versions()
  const changed = succeeded(await partner.patch(`/Customers/${lead}`, { metadata: { tier: 'gold' } }))
  assert.deepEqual([changed.metadata, changed.personalDetails.email], [{ tier: 'gold' }, `${lead}@example.com`])
  assert.equal((await versions()).length, before.length)
  assert.ok(entryBefore.length === 1)
  assert.deepEqual(await entry(), entryBefore)
  succeeded(await partner.patch(`/Customers/${lead}`, { phone: '07700 900124' }))
  assert.deepEqual(await read(lead), { tier: 'gold' })
  assert.equal((await versions()).length, before.length + 1)
  assert.notDeepEqual(await entry(), entryBefore)
})
