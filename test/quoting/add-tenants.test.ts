import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addTenants, freshTenantFields, sampleTenants, startHousehold } from '../support/household.ts'
import { createQuote, getQuote, quoteFieldsOf, testTime, totalCost } from '../support/quote-fixtures.ts'
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

describe('too_many_tenants', () => {
  test('a call that would add a thirteenth tenant is rejected and adds no tenant', async () => {
    const { quoteId } = await createQuote(partner)
    await addTenants(partner, quoteId, sampleTenants(11))
    assertProblem(await add(quoteId, sampleTenants(2, 12)), 'too_many_tenants', ['/tenants too_many_tenants'])
    assert.equal(succeeded(await add(quoteId, sampleTenants(1, 12))).tenants.length, 12)
    assertProblem(await add(quoteId, sampleTenants(1, 13)), 'too_many_tenants', ['/tenants too_many_tenants'])
    assert.equal((await getQuote(partner, quoteId)).tenants.length, 12)
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

  test('two simultaneous calls with the same e-mail address add only one tenant', async () => {
    const { quoteId } = await createQuote(partner)
    const responses = await Promise.all([add(quoteId, sampleTenants(1)), add(quoteId, sampleTenants(1))])
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 422])
    assert.equal((await getQuote(partner, quoteId)).tenants.length, 1)
  })
})

describe('invalid bodies', () => {
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
