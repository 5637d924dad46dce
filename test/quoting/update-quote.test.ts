import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold, startPaymentSetup } from '../support/household.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
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

test('a change replaces all metadata, branch and seller, also of a completed quote; {} and null remove them', async () => {
  const { quoteId, lead } = await startHousehold(partner, { metadata, tenants: 1 })
  await onboard(partner, lead)
  const changed = succeeded(await change(quoteId, { metadata: { negotiator: 'kim' } }))
  assert.deepEqual([changed.status, changed.metadata], ['completed', { negotiator: 'kim' }])
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).metadata, { negotiator: 'kim' })
  const moved = succeeded(await change(quoteId, { branch: 'Leeds' }))
  assert.deepEqual([moved.branch, moved.metadata], ['Leeds', { negotiator: 'kim' }])
  assert.equal(succeeded(await change(quoteId, { soldBy: 'Kim Lee' })).soldBy, 'Kim Lee')
  const removed = succeeded(await change(quoteId, { metadata: {} }))
  assert.deepEqual([removed.branch, removed.soldBy, removed.metadata], ['Leeds', 'Kim Lee', {}])
  assert.equal(succeeded(await change(quoteId, { branch: null })).branch, null)
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).branch, null)
  const [row] = await rawRows(service, 'select metadata_encrypted from quotes where quote_id = $1', [quoteId])
  assert.equal(row?.metadata_encrypted, null)
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

test('facts about the home are merged with what is known, and warn of what they mean', async () => {
  const { quoteId } = await startHousehold(partner, {
    ...{ tenants: 1, addressUid: ordinaryProperty(1).addressUid },
    quotingToolVersionId: 'price-cap-2026-q3-regional',
  })
  const meter = { payment: 'prepayment', registers: 'two_rate' } as const
  const days = { startedOn: '2030-01-01', expectedUntil: '2026-12-31' }
  succeeded(await change(quoteId, { meter, tenancy: { ...days, type: 'private_residential' } }))
  const cost = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  assert.deepEqual(cost.meter, { ...meter, smart: 'unknown', heating: 'unknown' })
  const facts = ['tenancy_disagrees', 'prepayment_meter', 'two_rate_meter_on_single_rate']
  assert.deepEqual(cost.warnings, facts)
  const disagreements = cost.warningDetails.filter(({ code }) => code === 'tenancy_disagrees')
  assert.equal(disagreements.length, 3)
  const { meter: later, tenancy } = succeeded(
    await change(quoteId, { meter: { payment: 'credit', smart: true }, tenancy: { expectedUntil: null } }),
  )
  assert.deepEqual(later, { ...meter, payment: 'credit', smart: true, heating: 'unknown' })
  assert.deepEqual([tenancy?.expectedUntil, tenancy?.type], [null, 'private_residential'])
})

test('a heat network removes gas from the packages with a warning, and gas cannot be selected again', async () => {
  const { quoteId } = await startHousehold(partner, { tenants: 1, addressUid: ordinaryProperty(1).addressUid })
  const before = succeeded(await partner.get(`/Quotes/${quoteId}`))
  succeeded(await change(quoteId, { meter: { heating: 'heat_network' } }))
  const after = succeeded(await partner.get(`/Quotes/${quoteId}`))
  assert.deepEqual(
    after.packages.map(({ type }) => type),
    ['electricity', 'broadband'],
  )
  assert.deepEqual(
    after.selectedPackages.map(({ type }) => type),
    ['electricity'],
  )
  assert.deepEqual(after.warnings, ['package_dropped', 'heat_network'])
  assert.ok((after.cost?.monthlyCost ?? 0) < (before.cost?.monthlyCost ?? 0))
  assert.equal(after.priceUpdates.at(-1)?.reason, 'meter_changed')
  const gas = { packageIds: ['gas-standard'] }
  rejected(await partner.post(`/Quotes/${quoteId}/add-packages`, gas), 422, 'package_not_available')
})

test('once the price is agreed, the facts it depends on are locked, and those of the meter once everybody has signed', async () => {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  await startPaymentSetup(partner, lead)
  succeeded(await change(quoteId, { meter: { payment: 'prepayment', registers: 'unknown' } }))
  for (const meter of [{ registers: 'two_rate' }, { heating: 'electric' }])
    rejected(await change(quoteId, { meter }), 422, 'quote_locked')
  await onboard(partner, lead)
  rejected(await change(quoteId, { meter: { smart: true } }), 422, 'quote_locked')
  const changed = succeeded(await change(quoteId, { tenancy: { joint: true } }))
  assert.deepEqual([changed.status, changed.tenancy?.joint], ['completed', true])
  assert.deepEqual(changed.meter?.payment, 'prepayment')
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
