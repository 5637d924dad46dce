import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, onboard, psrDetails, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
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

test('erasing a customer removes their metadata and leaves that of the others', async () => {
  const { tenants } = await startHousehold(partner, {
    tenants: [tenant, { ...tenant, email: 'kim@example.com', metadata: { applicant: 'A-1043' } }],
  })
  const [first = '', second = ''] = tenants
  succeeded(await partner.post(`/Customers/${first}/erase`))
  assert.deepEqual([await read(first), await read(second)], [{}, { applicant: 'A-1043' }])
})
