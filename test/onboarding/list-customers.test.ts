import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { addBroadband, addTenants, finalise, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import {
  advanceClock,
  createLeadOnboardedQuote,
  createQuote,
  expire,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

/** The ids on all pages of a query. */
async function list(own: Partner, query: Record<string, string> = {}): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const search = new URLSearchParams({ ...query, ...(cursor === '' ? {} : { cursor }) })
    const page: { data: { customerId: string }[]; nextCursor: string | null } = succeeded(
      await own.get(`/Customers?${search}`),
    )
    ids.push(...page.data.map(({ customerId }) => customerId))
    cursor = page.nextCursor
  }
  return ids
}

/** Two quotes: one with Ada and Mary, one with Ada, who has given her phone number, and Grace. */
async function startTwoQuotes(own: Partner) {
  const ada = { name: 'Ada Lovelace', email: 'ada@example.com' }
  const first = (await createQuote(own, { reference: 'flat-1' })).quoteId
  const second = (await createQuote(own, { reference: 'flat-2', branch: 'Leeds', soldBy: 'Kim' })).quoteId
  const [firstAda = '', mary = ''] = await addTenants(own, first, [ada, { name: 'Mary', email: 'mary@example.com' }])
  const [secondAda = '', grace = ''] = await addTenants(own, second, [
    ada,
    { name: 'Grace', email: 'grace@example.com' },
  ])
  succeeded(await finalise(own, secondAda, { email: ada.email, phone: '07700 900123' }))
  return { first, second, firstAda, mary, secondAda, grace }
}

test('a partner without customers gets an empty list without a next page', async () => {
  const own = await connectNewPartner(service)
  assert.deepEqual(succeeded(await own.get('/Customers')), { data: [], nextCursor: null })
})

test('customers are listed newest first, page by page, as GET /Customers/{id} shows them, and only to their partner', async () => {
  const own = await connectNewPartner(service)
  const { firstAda, mary, secondAda, grace } = await startTwoQuotes(own)
  const everyone = [grace, secondAda, mary, firstAda]
  for (const limit of ['1', '2', '4', '100']) assert.deepEqual(await list(own, { limit }), everyone, limit)
  for (const { lastEmail, ...entry } of succeeded(await own.get('/Customers')).data) {
    assert.equal(lastEmail, null)
    const customer = succeeded(await own.get(`/Customers/${entry.customerId}`))
    const shared = Object.entries(customer).filter(([name]) => name in entry)
    assert.deepEqual(entry, Object.fromEntries(shared))
    assert.deepEqual(Object.keys(entry), [
      'customerId',
      'quoteId',
      'status',
      'personalDetails',
      'paymentStatus',
      'metadata',
      'removedAt',
    ])
  }
  assert.deepEqual(await list(await connectNewPartner(service)), [])
})

test('customers are found by quote, reference, branch, email and phone, separately and combined', async () => {
  const own = await connectNewPartner(service)
  const { first, second, firstAda, mary, secondAda, grace } = await startTwoQuotes(own)
  assert.deepEqual(await list(own, { quoteId: first }), [mary, firstAda])
  assert.deepEqual(await list(own, { reference: 'flat-2' }), [grace, secondAda])
  assert.deepEqual(await list(own, { branch: 'Leeds', limit: '1' }), [grace, secondAda])
  assert.deepEqual(await list(own, { branch: 'Leeds', reference: 'flat-1' }), [])
  assert.deepEqual(await list(own, { email: 'ADA@example.com' }), [secondAda, firstAda])
  assert.deepEqual(await list(own, { email: 'ADA@example.com', limit: '1' }), [secondAda, firstAda])
  for (const phone of ['07700 900123', '+44 7700 900123']) assert.deepEqual(await list(own, { phone }), [secondAda])
  assert.deepEqual(await list(own, { email: 'ada@example.com', quoteId: first }), [firstAda])
  assert.deepEqual(await list(own, { email: 'grace@example.com', reference: 'flat-1' }), [])
  assert.deepEqual(await list(own, { email: 'ada@example.co' }), [])
  assert.deepEqual(await list(own, { reference: 'flat' }), [])
  const other = await connectNewPartner(service)
  for (const query of [
    { quoteId: second },
    { reference: 'flat-2' },
    { branch: 'Leeds' },
    { soldBy: 'Kim' },
    { email: 'ada@example.com' },
    { phone: '07700 900123' },
  ])
    assert.deepEqual(await list(other, query), [])
})

test('a customer whose quote is no longer locked has not accepted; an erased one is found by the quote only', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await createLeadOnboardedQuote(own)
  const statusOfLead = async () =>
    succeeded(await own.get(`/Customers?quoteId=${quoteId}`)).data.find(({ customerId }) => customerId === lead)?.status
  assert.equal(await statusOfLead(), 'OnboardingComplete')
  await advanceClock(own, { days: 15 })
  assert.equal(await statusOfLead(), 'PersonalInfoComplete')

  const household = await startHousehold(own)
  const { email } = succeeded(await own.get(`/Customers/${household.lead}`)).personalDetails
  assert.ok((await list(own, { email })).includes(household.lead))
  succeeded(await own.post(`/Customers/${household.lead}/erase`, {}))
  assert.ok(!(await list(own, { email })).includes(household.lead))
  assert.ok((await list(own, { quoteId: household.quoteId })).includes(household.lead))
})

test('each customer on a page gets an audit entry of the read, and none is written for HEAD', async () => {
  const own = await connectNewPartner(service)
  const { first, firstAda, mary } = await startTwoQuotes(own)
  const reads = async () =>
    (
      await rawRows(service, `select customer_id from audit_log where action = 'read' and customer_id = any($1)`, [
        [firstAda, mary],
      ])
    ).map(({ customer_id }) => customer_id)
  await own.send('HEAD', `/Customers?quoteId=${first}`)
  assert.deepEqual(await reads(), [])
  await list(own, { quoteId: first })
  assert.deepEqual((await reads()).sort(), [firstAda, mary].sort())
})

const read = async (customerId: string) => succeeded(await partner.get(`/Customers/${customerId}/total-cost`))
const figures = [
  ...(['weeklyCost', 'monthlyCost', 'yearlyCost', 'totalCost', 'setupCost'] as const),
  ...(['totalVat', 'setupVat', 'totalNet', 'setupNet'] as const),
]

test("a customer's cost has one element per package, whose figures are the sums of the lines inside it", async () => {
  const { lead } = await startHousehold(partner, {
    packages: ['electricity', 'gas', 'broadband'],
    products: ['fibre-150', 'wifi-whole-home'],
    tenants: 3,
  })
  const { packages } = await read(lead)
  assert.deepEqual(
    packages.map(({ packageId, productId, name }) => [packageId, productId, name]),
    [
      ['electricity-standard', null, 'Standard electricity'],
      ['gas-standard', null, 'Standard gas'],
      ['broadband-standard', 'fibre-150', 'Home broadband'],
    ],
  )
  for (const { lines, ...each } of packages) {
    for (const figure of figures)
      assert.equal(
        lines.reduce((sum, line) => sum + line[figure], 0),
        each[figure],
      )
    for (const { packageId, type, startDate, endDate, vatRates, setupVatRate } of lines) {
      assert.deepEqual(
        { packageId, type, startDate, endDate, vatRates, setupVatRate },
        {
          packageId: each.packageId,
          type: each.type,
          startDate: each.startDate,
          endDate: each.endDate,
          vatRates: each.vatRates,
          setupVatRate: each.setupVatRate,
        },
      )
    }
  }
  assert.deepEqual(
    packages[2]?.lines.map(({ productId, name }) => [productId, name]),
    [
      ['fibre-150', 'Home Broadband 150'],
      ['wifi-whole-home', 'Whole Home Wi-Fi'],
    ],
  )
})

test("a customer's total-cost has no line and a warning if broadband has no product yet", async () => {
  const household = await startHousehold(partner, { packages: ['electricity', 'broadband'], tenants: 1 })
  const before = await read(household.lead)
  assert.deepEqual(before.warnings, ['broadband_not_included'])
  assert.deepEqual(
    before.packages.map(({ type }) => type),
    ['electricity'],
  )
  await addBroadband(partner, household.quoteId, ['fibre-150'])
  const after = await read(household.lead)
  assert.deepEqual(after.warnings, [])
  assert.equal(after.monthlyCost, before.monthlyCost + 2_900)
})

test("a customer's total-cost shows the last prices and renews nothing if the quote has expired", async () => {
  const { quoteId, lead } = await startHousehold(partner)
  const before = await read(lead)
  await expire(partner, quoteId)
  const { expiresAt } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  const { warnings, warningDetails, ...after } = await read(lead)
  assert.deepEqual({ ...after, warnings: [], warningDetails: [] }, before)
  assert.deepEqual([warnings, warningDetails.length], [['quote_expired'], 1])
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).expiresAt, expiresAt)
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, true)
})
