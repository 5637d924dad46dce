import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { NewTenant } from '../../clients/typescript/src/api-types.ts'
import type { ErrorCode } from '../../src/platform/kernel/errors.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { listAll } from '../support/deliveries.ts'
import { onboard, sampleTenants } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { allScopesBut, connectAnotherPartner, connectNewPartner, connectWithScopes } from '../support/partners.ts'
import { createCompletedQuote, createQuote, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryProperty()

const contactPermission = { givenAt: '2026-11-30T18:00:00+01:00', by: 'booking form of Zanzibar Street' }
const invited = (count: number): NewTenant[] => sampleTenants(count).map((each) => ({ ...each, contactPermission }))
const household = { addressUid, packages: ['electricity', 'gas'], tenants: invited(3) }
const create = (changes: object = {}, by: Partner = partner) => by.post('/Households', { ...household, ...changes })

/** The value with every id replaced by its kind, and every time by a word: what two households have in common. */
function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(/\b(quote|tenant|event)_[0-9a-z]{26}/g, '$1')
  return JSON.parse(text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time'))
}

/** What can be read of a quote, and the events of its four steps. */
async function readAll(quoteId: string) {
  const events = await waitFor(
    'the events are listed',
    () => listAll(partner, '/Events', { quoteId }),
    ({ length }) => length >= 4,
  )
  return withoutIds([
    await getQuote(partner, quoteId),
    await totalCost(partner, quoteId),
    events.map(({ type, data }) => ({ type, data })).reverse(),
  ])
}

test('one call gives the same quote, tenants, prices and events as the single calls', async () => {
  succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
  const options = {
    packages: ['electricity', 'gas'] as ('electricity' | 'gas')[],
    contractStartDate: '2027-02-01',
    contractEndDate: '2028-01-15',
    bedrooms: 3,
    reference: 'tenancy-42',
    branch: 'Norwich',
    metadata: { branch: 'Norwich' },
  }
  const { quoteId } = await createQuote(partner, { ...options, addressUid })
  const path = `/Quotes/${quoteId}` as const
  succeeded(await partner.post(`${path}/add-tenants`, { tenants: household.tenants }))
  succeeded(await partner.post(`${path}/add-broadband-products`, { broadbandProducts: ['fibre-150'] }))

  const created = succeeded(await create({ ...options, broadbandProducts: ['fibre-150'] }))
  assert.deepEqual(await readAll(created.quoteId), await readAll(quoteId))
  const read = await getQuote(partner, created.quoteId)
  assert.equal(created.status, 'BroadbandAdded')
  assert.deepEqual(
    [created.address, created.cost, created.selectedPackages, created.broadbandProducts],
    [read.address, read.cost, read.selectedPackages, read.broadbandProducts],
  )
  assert.deepEqual(
    created.tenants.map(({ customerId, name, email, isLead }) => ({ tenantId: customerId, name, email, isLead })),
    read.tenants.map(({ tenantId, name, email, isLead }) => ({ tenantId, name, email, isLead })),
  )
  for (const { customerId, url, expiresAt } of created.tenants) {
    assert.ok(url.includes(`/my-bills/${customerId}/links/`), url)
    assert.match(expiresAt, /^2026-12-31T/)
  }
})

test('a dry run checks and prices everything, and stores, sends and asks nothing', async () => {
  const other = await connectAnotherPartner(service)
  const options = { ...household, sendEmails: true, reference: 'dry' }
  const dry = succeeded(await other.post('/Households?dryRun=true', options))
  const { cost } = succeeded(await create({ ...options, reference: 'wet' }, other))
  assert.deepEqual([dry.status, withoutIds(dry.cost)], ['TenantsAdded', withoutIds(cost)])
  assert.equal(dry.tenants.length, 3)
  assert.equal((await other.get(`/Quotes/${dry.quoteId}`)).status, 404)
  const { data } = succeeded(await other.get('/Quotes'))
  assert.deepEqual(
    data.map(({ reference }) => reference),
    ['wet'],
  )
  const [row] = await rawRows(
    service,
    `select (select count(*) from customers where quote_id = $1)::int + (select count(*) from events where quote_id = $1)::int
              + (select count(*) from tenant_mails where customer_id = any($2))::int as rows`,
    [dry.quoteId, dry.tenants.map(({ customerId }) => customerId)],
  )
  assert.equal(row?.rows, 0)
  assertProblem(await other.post('/Households?dryRun=true', { ...options, tenants: [] }), 'validation_failed', [
    '/tenants',
  ])
})

test('a dry run with an Idempotency-Key is answered again, and the key is not that of the real request', async () => {
  const headers = { 'Idempotency-Key': 'trial-1' }
  const first = await partner.post('/Households?dryRun=true', household, { headers })
  assert.equal((await partner.post('/Households?dryRun=true', household, { headers })).text, first.text)
  rejected(await partner.post('/Households', household, { headers }), 422, 'idempotency_key_reused')
})

test('a household warns of open quotes of the same property and with the same tenants, and of no others', async () => {
  const other = await connectAnotherPartner(service)
  const first = succeeded(await create({}, other))
  assert.deepEqual(first.warnings, [])
  const second = succeeded(await create({}, other))
  assert.deepEqual(second.warnings, ['property_already_quoted', 'tenant_already_invited'])
  assert.deepEqual(
    second.warningDetails.map(({ code, quoteId }) => [code, quoteId]),
    second.warnings.map((code) => [code, first.quoteId]),
  )
  for (const { quoteId } of [first, second]) succeeded(await other.post(`/Quotes/${quoteId}/cancel`))
  assert.deepEqual(succeeded(await create({}, other)).warnings, [])
  assert.deepEqual(succeeded(await create({}, await connectAnotherPartner(service))).warnings, [])
})

test('a household warns of one that is covered on the same days, also in a dry run', async () => {
  const own = await connectNewPartner(service)
  const { quoteId } = await createCompletedQuote(own)
  const { addressUid: uid } = (await getQuote(own, quoteId)).address
  for (const path of ['/Households?dryRun=true', '/Households'] as const) {
    const { warningDetails } = succeeded(await own.post(path, { ...household, addressUid: uid }))
    assert.partialDeepStrictEqual(warningDetails, [{ code: 'property_already_covered', quoteId }])
  }
})

test('with onDuplicateReference, a second household with a reference is rejected or is the first one', async () => {
  const other = await connectAnotherPartner(service)
  const again = (onDuplicateReference: string) => create({ reference: 'tenancy-1', onDuplicateReference }, other)
  const first = succeeded(await again('reject'))
  assertProblem(await again('reject'), 'duplicate_reference', ['/reference'])
  const returned = succeeded(await again('return'))
  assert.equal(returned.quoteId, first.quoteId)
  assert.deepEqual(
    returned.tenants.map(({ customerId }) => customerId),
    first.tenants.map(({ customerId }) => customerId),
  )
  for (const { url } of [...first.tenants, ...returned.tenants]) assert.equal((await fetch(url)).status, 200)
  const both = await Promise.all([1, 2].map(() => create({ reference: 'b', onDuplicateReference: 'return' }, other)))
  assert.equal(new Set(both.map((response) => succeeded(response).quoteId)).size, 1)
  succeeded(await other.post(`/Quotes/${first.quoteId}/cancel`))
  assert.notEqual(succeeded(await again('reject')).quoteId, first.quoteId)
})

describe('an error names the field, and nothing is left behind', () => {
  let other: Partner
  before(async () => {
    other = await connectAnotherPartner(service)
  })
  const [first, ...others] = household.tenants
  const rows: [what: string, code: ErrorCode, fields: string[], changes: object][] = [
    ['an unknown address', 'address_not_found', ['/addressUid'], { addressUid: 'address_unknown' }],
    [
      'a wrong e-mail address',
      'validation_failed',
      ['/tenants/1/email'],
      { tenants: [first, { ...first, email: 'x' }] },
    ],
    ['one e-mail address twice', 'duplicate_tenant', ['/tenants/1/email'], { tenants: [first, first, ...others] }],
    ['13 tenants', 'too_many_tenants', ['/tenants'], { tenants: invited(13) }],
    ['no tenants', 'validation_failed', ['/tenants'], { tenants: [] }],
    ['a start that has passed', 'validation_failed', ['/contractStartDate'], { contractStartDate: '2026-11-30' }],
    ['products without a check', 'broadband_check_required', [], { broadbandProducts: ['fibre-150'] }],
    ['a page that is not registered', 'validation_failed', ['/returnUrl'], { returnUrl: 'https://other.example/' }],
    [
      'a permission of the future',
      'validation_failed',
      ['/tenants/0/contactPermission/givenAt'],
      { tenants: [{ ...first, contactPermission: { ...contactPermission, givenAt: '2026-12-02T09:00:00Z' } }] },
    ],
    [
      'e-mails without permission',
      'validation_failed',
      ['/tenants/1/contactPermission', '/tenants/2/contactPermission'],
      { sendEmails: true, tenants: [first, ...sampleTenants(2, 2)] },
    ],
  ]
  for (const [what, code, fields, changes] of rows)
    test(what, async () => {
      assertProblem(await create(changes, other), code, fields)
      assert.deepEqual(succeeded(await other.get('/Quotes')).data, [])
    })

  test('a product that the check did not find', async () => {
    succeeded(await other.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
    const response = await create({ broadbandProducts: ['fibre-150', 'fibre-nowhere'] }, other)
    assertProblem(response, 'broadband_product_not_available', ['/broadbandProducts/1'])
    assert.deepEqual(succeeded(await other.get('/Quotes')).data, [])
  })
})

test('a repetition with the same key returns the same links and creates nothing', async () => {
  const own = await connectAnotherPartner(service)
  const options = { headers: { 'Idempotency-Key': 'tenancy-7' } }
  const first = await own.post('/Households', household, options)
  const again = await own.post('/Households', household, options)
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal(succeeded(await own.get('/Quotes')).data.length, 1)
  const rows = await rawRows(service, "select response_encrypted from idempotency_keys where key = 'tenancy-7'", [])
  assert.ok(rows.length === 1 && !JSON.stringify(rows).includes('my-bills'))
})

test('the call needs both scopes, and another partner sees nothing of the household', async () => {
  for (const scope of ['customers:onboard', 'quotes:write'] as const) {
    const lacking = await connectWithScopes(service, allScopesBut(scope))
    assert.ok(rejected(await create({}, lacking), 403, 'insufficient_scope').detail.includes(scope))
  }
  const { quoteId, tenants } = succeeded(
    await create({}, await connectWithScopes(service, ['customers:onboard', 'quotes:write'])),
  )
  const stranger = await connectAnotherPartner(service)
  rejected(await stranger.get(`/Quotes/${quoteId}`), 404, 'not_found')
  rejected(await stranger.get(`/Customers/${tenants[0]?.customerId}`), 404, 'not_found')
})

test('tenants are sent back only to pages that the operator has registered', async () => {
  const operator = await connectOperator(service)
  const all = succeeded(
    await operator.get<{ data: { partnerId: string; credentials: { clientId: string }[] }[] }>('/Partners'),
  )
  const self = all.data.find(({ credentials }) =>
    credentials.some(({ clientId }) => clientId === service.credentials.clientId),
  )
  const register = (returnUrls: unknown) =>
    operator.patch<{ returnUrls: unknown }>(`/Partners/${self?.partnerId}`, { returnUrls })
  for (const wrong of [
    'http://lettings.example',
    'https://lettings.example/?x',
    'https://a@lettings.example',
    'lettings',
  ])
    assertProblem(await register([wrong]), 'validation_failed', ['/returnUrls/0'])
  const registered = ['https://lettings.example/bills', 'http://localhost:3000']
  assert.deepEqual(succeeded(await register(registered)).returnUrls, registered)

  for (const returnUrl of ['https://lettings.example/bills/7?from=us', 'http://localhost:3000/done']) {
    const { quoteId, ...created } = succeeded(await create({ returnUrl }))
    assert.deepEqual([created.returnUrl, (await getQuote(partner, quoteId)).returnUrl], [returnUrl, returnUrl])
    const [row] = await rawRows(service, 'select * from quotes where quote_id = $1', [quoteId])
    assert.ok(row?.return_url_encrypted && !JSON.stringify(row).includes(returnUrl))
  }
  assertProblem(await create({ returnUrl: 'https://lettings.example/' }), 'validation_failed', ['/returnUrl'])
  assert.equal(succeeded(await register(null)).returnUrls, null)
  assertProblem(await create({ returnUrl: 'http://localhost:3000/done' }), 'validation_failed', ['/returnUrl'])
})

test('sendEmails and householdComplete are kept; adding or removing a tenant, and PATCH, change the latter while the quote is open', async () => {
  const { quoteId, ...created } = succeeded(await create({ sendEmails: true, householdComplete: true }))
  assert.deepEqual([created.sendEmails, created.householdComplete], [true, true])
  const path = `/Quotes/${quoteId}` as const
  const isComplete = async () => (await getQuote(partner, quoteId)).householdComplete
  const added = succeeded(await partner.post(`${path}/add-tenants`, { tenants: sampleTenants(1, 9) }))
  assert.deepEqual([added.householdComplete, await isComplete()], [false, false])
  assert.equal(succeeded(await partner.patch(path, { householdComplete: true })).householdComplete, true)
  const tenantIds = added.tenants.slice(1).map(({ tenantId }) => tenantId)
  succeeded(await partner.post(`${path}/remove-tenants`, { tenantIds }))
  assert.equal(await isComplete(), false)
  succeeded(await partner.patch(path, { householdComplete: true, metadata: { a: 'b' } }))
  await onboard(partner, created.tenants[0]?.customerId ?? '')
  assert.equal(succeeded(await partner.patch(path, { householdComplete: true })).status, 'completed')
  assertProblem(await partner.patch(path, { householdComplete: false }), 'quote_locked')

  const usual = succeeded(await create())
  assert.deepEqual([usual.sendEmails, usual.householdComplete, usual.returnUrl], [false, false, null])
})

test('with sendEmails, each tenant is sent their link, also one that is made later', async () => {
  const kinds = async (customerId: string) =>
    succeeded(await partner.get(`/Customers/${customerId}/emails`)).emails.map(({ kind }) => kind)
  const ours = succeeded(await create({ sendEmails: true })).tenants.map(({ customerId }) => customerId)
  for (const customerId of ours) assert.deepEqual(await kinds(customerId), ['link'])
  succeeded(await partner.post(`/Customers/${ours[0]}/onboarding-links`))
  assert.deepEqual(await kinds(ours[0] ?? ''), ['link', 'link'])
  const [theirs] = succeeded(await create()).tenants.map(({ customerId }) => customerId)
  succeeded(await partner.post(`/Customers/${theirs}/onboarding-links`))
  assert.deepEqual(await kinds(theirs ?? ''), [])
})

test('a tenant whose link is returned needs no address and is sent nothing; any number of a household have none', async () => {
  const [ann, ben, cat] = household.tenants
  const handed = { link: 'returned' as const }
  const tenants = [
    ann,
    { ...handed, name: 'Ben Bare', phone: '07700 900222' },
    { ...handed, name: 'Cat Bare' },
    { ...cat, ...handed },
  ]
  assertProblem(await create({ tenants: [ann, { name: ben?.name }] }), 'validation_failed', [
    '/tenants/1/email required',
  ])
  const { quoteId, ...created } = succeeded(await create({ tenants, sendEmails: true }))
  assert.deepEqual(
    created.tenants.map(({ email }) => email === ''),
    [false, true, true, false],
  )
  const ids = created.tenants.map(({ customerId }) => customerId)
  assert.ok(created.tenants.every(({ url, customerId }) => url.includes(`/my-bills/${customerId}/links/`)))
  const mails = async (id = '') => succeeded(await partner.get(`/Customers/${id}/emails`)).emails.length
  assert.deepEqual(await Promise.all(ids.map(mails)), [1, 0, 0, 0])

  const bare = ids[1] ?? ''
  succeeded(await partner.post(`/Customers/${bare}/onboarding-links`))
  succeeded(await partner.patch(`/Customers/${bare}`, { firstName: 'Benno' }))
  const { personalDetails } = succeeded(await partner.get(`/Customers/${bare}`))
  assert.deepEqual([personalDetails.email, personalDetails.phone, await mails(bare)], ['', '+447700900222', 0])
  assert.equal(
    succeeded(await partner.get(`/Customers?${new URLSearchParams({ phone: '07700900222' })}`)).data[0]?.customerId,
    bare,
  )
  const [row] = await rawRows(service, 'select * from customers where customer_id = $1', [bare])
  assert.ok(!JSON.stringify(row).includes('900222'))
  const [, , shown] = (await getQuote(partner, quoteId)).tenants
  assert.deepEqual([shown?.name, shown?.email], ['Cat Bare', ''])
  assert.equal((await getQuote(partner, quoteId)).leadTenantId, ids[0])
  succeeded(await partner.post(`/Customers/${bare}/erase`))
  assert.equal(succeeded(await partner.get(`/Customers/${bare}`)).personalDetails.phone, '')
  // Who has no address can lead: only an erased tenant cannot.
  const alone = succeeded(await create({ tenants: [{ ...handed, name: 'Cat Bare' }] }))
  assert.equal(alone.leadTenantId, alone.tenants[0]?.customerId)
  await onboard(partner, alone.tenants[0]?.customerId ?? '')
  assert.equal((await getQuote(partner, alone.quoteId)).status, 'completed')
})

test('a contact permission is kept encrypted, is in the export, and goes with an erasure', async () => {
  const { tenants } = succeeded(await create())
  const customerId = tenants[0]?.customerId ?? ''
  const exported = async (id: string) => succeeded(await partner.get(`/Customers/${id}/export`)).contactPermission
  assert.deepEqual(await exported(customerId), { ...contactPermission, givenAt: '2026-11-30T17:00:00.000Z' })
  await onboard(partner, tenants[1]?.customerId ?? '')
  assert.deepEqual(await exported(tenants[1]?.customerId ?? ''), await exported(customerId))
  const [row] = await rawRows(service, 'select * from customers where customer_id = $1', [customerId])
  assert.ok(!JSON.stringify(row).includes('Zanzibar'))
  succeeded(await partner.post(`/Customers/${customerId}/erase`))
  assert.equal(await exported(customerId), null)
})

test('add-tenants and replacements take a contact permission too, which cannot be of the future', async () => {
  const future = { ...contactPermission, givenAt: '2027-01-01T00:00:00Z' }
  const { quoteId } = await createQuote(partner)
  const [tenant] = sampleTenants(1)
  const add = (permission: object) =>
    partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: [{ ...tenant, contactPermission: permission }] })
  assertProblem(await add(future), 'validation_failed', ['/tenants/0/contactPermission/givenAt'])
  succeeded(await add(contactPermission))

  const { lead } = await createCompletedQuote(partner)
  const replace = (permission: object) =>
    partner.post(`/Customers/${lead}/replacements`, {
      ...{ name: 'Jo Joiner', email: 'jo@example.com', from: '2027-03-01', contactPermission: permission },
    })
  assertProblem(await replace(future), 'validation_failed', ['/contactPermission/givenAt'])
  const { customerId } = succeeded(await replace(contactPermission))
  assert.equal(
    succeeded(await partner.get(`/Customers/${customerId}/export`)).contactPermission?.by,
    contactPermission.by,
  )
})
