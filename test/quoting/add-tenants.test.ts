import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addTenants, finalise, freshTenantFields, sampleTenants, startHousehold } from '../support/household.ts'
import {
  createActiveQuote,
  createExpiredQuote,
  createQuote,
  getQuote,
  quoteFieldsOf,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const add = (quoteId: string, tenants: unknown) => partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants })

test('the first tenant is the lead; the response has the quote and every tenant with their own id', async () => {
  const created = quoteFieldsOf(await createQuote(partner))
  const { quoteId } = created
  const { tenants, ...quote } = succeeded(
    await add(quoteId, [
      { name: 'Ann Lee', email: 'ann@example.com' },
      { name: 'Bo', email: 'bo@example.com' },
    ]),
  )
  const [ann, bo] = tenants
  assert.ok(ann && bo)
  for (const { tenantId } of tenants) assert.match(tenantId, /^tenant_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.deepEqual(tenants, [
    {
      tenantId: ann.tenantId,
      name: 'Ann Lee',
      email: 'ann@example.com',
      isLead: true,
      ...freshTenantFields,
    },
    {
      tenantId: bo.tenantId,
      name: 'Bo',
      email: 'bo@example.com',
      isLead: false,
      ...freshTenantFields,
    },
  ])
  assert.deepEqual(quote, {
    ...created,
    status: 'TenantsAdded',
    leadTenantId: ann.tenantId,
    primaryContact: ann.tenantId,
    cost: null,
    warnings: [],
    warningDetails: [],
  })
})

test('a tenantId is the customerId in later steps', async () => {
  const { lead } = await startHousehold(partner)
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).customerId, lead)
})

test('later calls append tenants, and the first tenant stays the lead', async () => {
  const { quoteId } = await createQuote(partner)
  const [first] = await addTenants(partner, quoteId, sampleTenants(1))
  const response = succeeded(await add(quoteId, sampleTenants(2, 2)))
  assert.deepEqual(
    response.tenants.map(({ name, isLead }) => [name, isLead]),
    [
      ['Robin Example1', true],
      ['Robin Example2', false],
      ['Robin Example3', false],
    ],
  )
  assert.equal(response.leadTenantId, first)
})

test('tenants can be added before or after packages, with the same household and price as a result', async () => {
  const tenantsFirst = (await createQuote(partner)).quoteId
  await addTenants(partner, tenantsFirst, sampleTenants(2))
  succeeded(await partner.post(`/Quotes/${tenantsFirst}/add-packages`, { packageIds: ['gas-standard'] }))
  const packagesFirst = (await createQuote(partner, { packages: ['gas'] })).quoteId
  await addTenants(partner, packagesFirst, sampleTenants(2))
  assert.equal((await getQuote(partner, tenantsFirst)).status, 'PackagesSelected')
  assert.equal((await getQuote(partner, packagesFirst)).status, 'TenantsAdded')
  const one = await totalCost(partner, tenantsFirst)
  const other = await totalCost(partner, packagesFirst)
  assert.deepEqual(one.lines, other.lines)
})

test('names in any script, whether of one word or of 100 characters, are returned unchanged', async () => {
  const names = [
    'María José Ñandú García',
    'Владимир Ильич Ульянов',
    '王小明',
    'محمد بن سلمان',
    'Ọlá Àdé',
    'Zoë O’Neill-Smith',
    '𝒜da 🏠 Lovelace',
    'Cher',
    `${'x'.repeat(50)} ${'y'.repeat(49)}`,
    `A${'🏠'.repeat(99)}`,
    'e\u0301 decomposed',
    'Ng',
  ]
  const { quoteId } = await createQuote(partner)
  const tenants = names.map((name, index) => ({ name, email: `ünï${index}@exämple.com` }))
  succeeded(await add(quoteId, tenants))
  const read = await getQuote(partner, quoteId)
  assert.deepEqual(
    read.tenants.map(({ name, email }) => ({ name, email })),
    tenants,
  )
})

describe('too_many_tenants', () => {
  test('a call that would add a thirteenth tenant is rejected and adds no tenant', async () => {
    const { quoteId } = await createQuote(partner)
    await addTenants(partner, quoteId, sampleTenants(11))
    assertProblem(await add(quoteId, sampleTenants(2, 12)), 'too_many_tenants', ['/tenants too_many_tenants'])
    assert.equal(succeeded(await add(quoteId, sampleTenants(1, 12))).tenants.length, 12)
    assertProblem(await add(quoteId, sampleTenants(1, 13)), 'too_many_tenants', ['/tenants too_many_tenants'])
    assert.equal((await getQuote(partner, quoteId)).tenants.length, 12)
  })

  test('thirteen tenants in one call are rejected', async () => {
    const { quoteId } = await createQuote(partner)
    assertProblem(await add(quoteId, sampleTenants(13)), 'too_many_tenants', ['/tenants too_many_tenants'])
    assert.deepEqual((await getQuote(partner, quoteId)).tenants, [])
  })

  test('of two simultaneous calls with seven tenants each, only one adds its tenants', async () => {
    const { quoteId } = await createQuote(partner)
    const responses = await Promise.all([add(quoteId, sampleTenants(7)), add(quoteId, sampleTenants(7, 8))])
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 422])
    assert.equal((await getQuote(partner, quoteId)).tenants.length, 7)
  })
})

describe('duplicate_tenant', () => {
  test('duplicate_tenant names every e-mail address that the quote already has or the request repeats, in any letter case', async () => {
    const { quoteId } = await createQuote(partner)
    await addTenants(partner, quoteId, [{ name: 'A', email: 'ann@example.com' }])
    const emails = ['new@example.com', 'ANN@Example.com', 'NEW@example.COM', 'other@example.com']
    const response = await add(
      quoteId,
      emails.map((email) => ({ name: 'B', email })),
    )
    assertProblem(response, 'duplicate_tenant', [
      '/tenants/1/email duplicate_tenant',
      '/tenants/2/email duplicate_tenant',
    ])
    assert.doesNotMatch(response.text, /ann@/i, 'an error contains no personal data')
    assert.equal((await getQuote(partner, quoteId)).tenants.length, 1)
  })

  test('the same e-mail address is allowed on two quotes', async () => {
    const [one, other] = await Promise.all([createQuote(partner), createQuote(partner)])
    await addTenants(partner, one.quoteId, sampleTenants(1))
    await addTenants(partner, other.quoteId, sampleTenants(1))
  })

  test('two simultaneous calls with the same e-mail address add only one tenant', async () => {
    const { quoteId } = await createQuote(partner)
    const responses = await Promise.all([add(quoteId, sampleTenants(1)), add(quoteId, sampleTenants(1))])
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 422])
    assert.equal((await getQuote(partner, quoteId)).tenants.length, 1)
  })
})

describe('invalid bodies', () => {
  test('fields of the wrong type return 400, which also lists everything else that is invalid', async () => {
    const { quoteId } = await createQuote(partner)
    const send = (body: unknown) => partner.post(`/Quotes/${quoteId}/add-tenants`, body)
    assertProblem(await send({}), 'invalid_request', ['/tenants required'])
    assertProblem(await send({ tenants: [] }), 'validation_failed', ['/tenants too_short'])
    assertProblem(await send({ tenants: { name: 'A', email: 'a@example.com' } }), 'invalid_request', [
      '/tenants wrong_type',
    ])
    const tenants = [
      { name: 'A', email: 'a@example.com', phone: '1' },
      { name: 5 },
      'B',
      { name: ' ', email: 'nowhere' },
    ]
    assertProblem(await send({ tenants, notify: true }), 'invalid_request', [
      '/notify unknown_field',
      '/tenants/0/phone unknown_field',
      '/tenants/1/email required',
      '/tenants/1/name wrong_type',
      '/tenants/2 wrong_type',
      '/tenants/3/email wrong_format',
      '/tenants/3/name wrong_format',
    ])
  })

  test('invalid values return 422 with one entry per field', async () => {
    const { quoteId } = await createQuote(partner)
    const names = ['', ' \u00a0 ', 'two\nlines', 'x'.repeat(101), 'nul\u0000', 'half \ud800']
    const codes = ['too_short', 'wrong_format', 'wrong_format', 'too_long', 'wrong_format', 'wrong_format']
    const byName = await add(
      quoteId,
      names.map((name, index) => ({ name, email: `a${index}@example.com` })),
    )
    assertProblem(
      byName,
      'validation_failed',
      codes.map((code, index) => `/tenants/${index}/name ${code}`),
    )
    const emails = ['', 'a', 'a@', '@b.com', 'a b@example.com', 'a@b', `${'x'.repeat(250)}@b.com`, 'a@@b.com']
    const byEmail = await add(
      quoteId,
      emails.map((email) => ({ name: 'A', email })),
    )
    assertProblem(
      byEmail,
      'validation_failed',
      emails.map((_, index) => `/tenants/${index}/email`),
    )
  })
})

const remove = (quoteId: string, tenantIds: unknown) => partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds })
const idsOf = (tenants: { tenantId: string }[]) => tenants.map(({ tenantId }) => tenantId)
const nobody = 'tenant_01h455vb4pex5vsknk084sn02q'

test('removing tenants returns the quote and the remaining tenants; a removed customer returns 404', async () => {
  const { quoteId, tenants: tenantIds } = await startHousehold(partner, { tenants: 3 })
  const [first = '', second = '', third] = tenantIds
  const before = await getQuote(partner, quoteId)
  const { tenants, ...quote } = succeeded(await remove(quoteId, [second]))
  assert.deepEqual(idsOf(tenants), [first, third])
  assert.equal(quote.status, 'TenantsAdded')
  assert.deepEqual([quote.leadTenantId, quote.expiresAt], [first, before.expiresAt])
  assert.deepEqual((await getQuote(partner, quoteId)).tenants, tenants)
  assertProblem(await partner.get(`/Customers/${second}`), 'not_found')
})

test('a removed lead tenant is succeeded by the tenant who joined next; a tenant who is added again joins last', async () => {
  const { quoteId, tenants: tenantIds, lead } = await startHousehold(partner, { tenants: 3 })
  const [, second, third] = tenantIds
  const response = succeeded(await remove(quoteId, [lead]))
  assert.equal(response.leadTenantId, second)
  assert.deepEqual(
    response.tenants.map(({ isLead }) => isLead),
    [true, false],
  )
  const [returned] = await addTenants(partner, quoteId, sampleTenants(1))
  assert.notEqual(returned, lead)
  assert.deepEqual(idsOf((await getQuote(partner, quoteId)).tenants), [second, third, returned])
  const { costBreakdown } = await totalCost(partner, quoteId)
  assert.deepEqual(idsOf(costBreakdown), [second, third, returned], 'the new lead tenant pays the first odd penny')
})

test('after the lead tenant is removed, the new lead tenant can set the contract dates', async () => {
  const { quoteId, tenants: tenantIds, lead } = await startHousehold(partner, { tenants: 2 })
  const [, second = ''] = tenantIds
  succeeded(await remove(quoteId, [lead]))
  succeeded(await finalise(partner, second, { contractStartDate: '2027-02-01' }))
  assert.equal((await getQuote(partner, quoteId)).contractStartDate, '2027-02-01')
})

test('after tenants are removed, the remaining ones share the cost, and their number determines the consumption', async () => {
  const { quoteId, tenants: tenantIds } = await startHousehold(partner, { tenants: 4 })
  const four = await totalCost(partner, quoteId)
  succeeded(await remove(quoteId, tenantIds.slice(1)))
  const one = await totalCost(partner, quoteId)
  assert.equal(one.costBreakdown.length, 1)
  assert.equal(one.costBreakdown[0]?.totalCost, one.totalCost)
  assert.ok(one.totalCost < four.totalCost)
  assert.deepEqual((await getQuote(partner, quoteId)).priceUpdates.at(-1)?.reason, 'tenants_changed')
})

test('all tenants can be removed; the status then reflects what is left, and tenants are required again', async () => {
  const withPackages = await startHousehold(partner)
  const left = succeeded(await remove(withPackages.quoteId, withPackages.tenants))
  assert.deepEqual([left.status, left.leadTenantId, left.tenants], ['PackagesSelected', null, []])
  assertProblem(await partner.get(`/Quotes/${withPackages.quoteId}/total-cost`), 'tenants_required')
  const { quoteId } = await createQuote(partner)
  assert.equal(succeeded(await remove(quoteId, await addTenants(partner, quoteId, sampleTenants(12)))).status, 'draft')
  assert.equal((await addTenants(partner, quoteId, sampleTenants(12))).length, 12)
})

test('tenants can be removed from an expired quote, which stays expired', async () => {
  const { quoteId, lead } = await createExpiredQuote(partner)
  const { expiresAt } = await getQuote(partner, quoteId)
  assert.equal(succeeded(await remove(quoteId, [lead])).expiresAt, expiresAt)
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, true)
})

test('ids that are not tenants of the quote return 422 and are all named, and no tenant is removed', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  const other = await startHousehold(partner)
  const response = await remove(quoteId, [lead, other.lead, nobody, 'x', lead.toUpperCase()])
  assertProblem(
    response,
    'validation_failed',
    [1, 2, 3, 4].map((index) => `/tenantIds/${index} not_allowed`),
  )
  assert.equal((await getQuote(partner, quoteId)).tenants.length, 2)
  assert.equal((await getQuote(partner, other.quoteId)).tenants.length, 2)
})

test('at most twelve tenants can be removed at once', async () => {
  const { quoteId } = await startHousehold(partner)
  const thirteen = Array.from({ length: 13 }, () => nobody)
  assertProblem(await remove(quoteId, thirteen), 'validation_failed', ['/tenantIds too_long'])
})

test('a tenant who has started payment setup can be removed once the quote is reopened', async () => {
  const { quoteId, tenants: tenantIds, lead } = await createActiveQuote(partner)
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  const { tenants } = succeeded(await remove(quoteId, [lead]))
  assert.deepEqual(idsOf(tenants), tenantIds.slice(1))
  assertProblem(await partner.get(`/Customers/${lead}`), 'not_found')
})
