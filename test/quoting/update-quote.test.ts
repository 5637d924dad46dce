import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const change = (quoteId: string, body: unknown) => partner.patch(`/Quotes/${quoteId}`, body)
const metadata = { branch: 'Zanzibar Street', 'deal.id': 'D-77 é', empty: '' }

test('metadata sent with POST /Quotes is in every response about the quote, encrypted at rest, and in no event', async () => {
  const { quoteId } = await startHousehold(partner, { metadata, tenants: 1 })
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).metadata, metadata)
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`)).metadata, metadata)
  const listed = succeeded(await partner.get('/Quotes')).data.find((each) => each.quoteId === quoteId)
  assert.deepEqual(listed?.metadata, metadata)
  const [row] = await rawRows(service, 'select * from quotes where quote_id = $1', [quoteId])
  assert.ok(String(row?.metadata_encrypted).length > 40)
  assert.ok(!JSON.stringify(row).includes('Zanzibar'))
  const listEvents = async () => succeeded(await partner.get(`/Events?quoteId=${quoteId}`)).data
  await waitFor('the events are listed', async () => (await listEvents()).length > 0)
  assert.ok(!JSON.stringify(await listEvents()).includes('Zanzibar'))
})

test('a change replaces all metadata and the branch, also of a completed quote; {} and null remove them', async () => {
  const { quoteId, lead } = await startHousehold(partner, { metadata, tenants: 1 })
  await onboard(partner, lead)
  const changed = succeeded(await change(quoteId, { metadata: { negotiator: 'kim' } }))
  assert.deepEqual([changed.status, changed.metadata], ['completed', { negotiator: 'kim' }])
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).metadata, { negotiator: 'kim' })
  const moved = succeeded(await change(quoteId, { branch: 'Leeds' }))
  assert.deepEqual([moved.branch, moved.metadata], ['Leeds', { negotiator: 'kim' }])
  const removed = succeeded(await change(quoteId, { metadata: {} }))
  assert.deepEqual([removed.branch, removed.metadata], ['Leeds', {}])
  assert.equal(succeeded(await change(quoteId, { branch: null })).branch, null)
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).branch, null)
  const [row] = await rawRows(service, 'select metadata_encrypted from quotes where quote_id = $1', [quoteId])
  assert.equal(row?.metadata_encrypted, null)
})

test('a quote without metadata shows an empty object', async () => {
  const { quoteId } = await startHousehold(partner, { tenants: 0 })
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).metadata, {})
})

test('a wrong shape returns 400, and a wrong value or key 422, each naming the key', async () => {
  const { quoteId } = await startHousehold(partner, { tenants: 0 })
  const fields = async (body: unknown, status: 400 | 422) =>
    invalidFields(
      rejected(await change(quoteId, body), status, status === 400 ? 'invalid_request' : 'validation_failed'),
    )
  assert.deepEqual(await fields({}, 400), [['', 'required']])
  assert.deepEqual(await fields({ metadata: null }, 400), [['/metadata', 'wrong_type']])
  assert.deepEqual(await fields({ metadata: { seats: 3 } }, 400), [['/metadata/seats', 'wrong_type']])
  assert.deepEqual(await fields({ metadata: { 'a/b': 'x' } }, 422), [['/metadata/a~1b', 'wrong_format']])
  assert.deepEqual(await fields({ metadata: { ['k'.repeat(41)]: 'x' } }, 422), [
    [`/metadata/${'k'.repeat(41)}`, 'wrong_format'],
  ])
  assert.deepEqual(await fields({ metadata: { note: 'x'.repeat(501) } }, 422), [['/metadata/note', 'too_long']])
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`key${index}`, 'x']))
  assert.deepEqual(await fields({ metadata: many }, 422), [['/metadata', 'too_long']])
  assert.deepEqual(await fields({ reference: 'x', metadata: {} }, 400), [['/reference', 'unknown_field']])
})

test('when everyone on the quote has been erased, the metadata is gone and none can be set', async () => {
  const { quoteId, tenants } = await startHousehold(partner, { metadata, tenants: 2 })
  const [first = '', second = ''] = tenants
  succeeded(await partner.post(`/Customers/${first}/erase`))
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).metadata, metadata)
  succeeded(await partner.post(`/Customers/${second}/erase`))
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).metadata, {})
  for (const own of [{ metadata }, { branch: 'Leeds' }]) rejected(await change(quoteId, own), 422, 'customer_erased')
})
