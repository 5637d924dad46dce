import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { freshTenantFields } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createQuote, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

test('a complete quote shows all of its parts', async () => {
  const created = await createQuote(partner, {
    reference: 'house-7',
    quotingToolVersionId: 'price-cap-2026-q3-regional',
    contractStartDate: '2027-01-15',
    contractEndDate: '2028-01-14',
    packages: ['electricity'],
  })
  const path = `/Quotes/${created.quoteId}` as const
  const { tenants } = succeeded(
    await partner.post(`${path}/add-tenants`, {
      tenants: [
        { name: 'Ann Lee', email: 'Ann.Lee@example.com' },
        { name: 'Bo', email: 'bo@example.com' },
      ],
    }),
  )
  const check = succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${created.address.addressUid}`))
  const broadbandProducts = ['static-ip', 'fibre-150']
  succeeded(await partner.post(`${path}/add-broadband-products`, { broadbandProducts }))
  const { pricedAt, expiresAt, createdAt, priceUpdates, cost, ...quote } = await getQuote(partner, created.quoteId)
  assert.equal(cost?.totalCost, (await totalCost(partner, created.quoteId)).totalCost)
  const { addressUid, addressLine1, city, postcode } = ordinaryProperty()
  assert.deepEqual(quote, {
    quoteId: created.quoteId,
    status: 'BroadbandAdded',
    quotingToolVersionId: 'price-cap-2026-q3-regional',
    contractStartDate: '2027-01-15',
    contractEndDate: '2028-01-14',
    lockedUntil: null,
    leadTenantId: tenants[0]?.tenantId,
    primaryContact: tenants[0]?.tenantId,
    reference: 'house-7',
    bedrooms: null,
    branch: null,
    soldBy: null,
    metadata: {},
    householdComplete: false,
    sendEmails: false,
    returnUrl: null,
    contractTerm: 'for 12 months, or until your tenancy ends',
    moveIn: null,
    tenancy: null,
    meter: null,
    address: { addressUid, addressLine1, city, postCode: postcode },
    tenants: [
      {
        tenantId: tenants[0]?.tenantId,
        name: 'Ann Lee',
        email: 'Ann.Lee@example.com',
        isLead: true,
        ...freshTenantFields,
      },
      {
        tenantId: tenants[1]?.tenantId,
        name: 'Bo',
        email: 'bo@example.com',
        isLead: false,
        ...freshTenantFields,
      },
    ],
    packages: [
      { packageId: 'electricity-standard', name: 'Standard electricity', type: 'electricity', status: 'selected' },
      { packageId: 'gas-standard', name: 'Standard gas', type: 'gas', status: 'available' },
      { packageId: 'broadband-standard', name: 'Home broadband', type: 'broadband', status: 'selected' },
    ],
    selectedPackages: [
      { packageId: 'electricity-standard', name: 'Standard electricity', type: 'electricity', status: 'selected' },
      { packageId: 'broadband-standard', name: 'Home broadband', type: 'broadband', status: 'selected' },
    ],
    broadbandProducts: [
      { productId: 'fibre-150', name: 'Home Broadband 150', status: 'added' },
      { productId: 'static-ip', name: 'Static IP Address', status: 'added' },
    ],
    availableBroadbandProducts: check.products,
    warnings: [],
    warningDetails: [],
  })
  assert.equal(createdAt, created.createdAt)
  assert.equal(expiresAt, created.expiresAt, 'changes do not extend the expiry')
  assert.ok(pricedAt > createdAt)
  assert.deepEqual(
    priceUpdates.map(({ reason }) => reason),
    ['tenants_changed', 'broadband_changed'],
  )
})

test('a quote shows no available broadband products before a check, from another partner or from a check over 24 hours old', async () => {
  const own = await connectNewPartner(service)
  const { addressUid } = ordinaryProperty(40)
  const { quoteId } = await createQuote(own, { addressUid })
  succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
  assert.deepEqual((await getQuote(own, quoteId)).availableBroadbandProducts, [])
  const { products } = succeeded(await own.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
  assert.ok(products.length > 0)
  assert.deepEqual((await getQuote(own, quoteId)).availableBroadbandProducts, products)
  await advanceClock(own, { seconds: 86_500 })
  assert.deepEqual((await getQuote(own, quoteId)).availableBroadbandProducts, [])
})

test("each price update of a quote has its time and reason, and the household's cost before and after", async () => {
  const { quoteId } = await createQuote(partner, { packages: ['electricity'] })
  const path = `/Quotes/${quoteId}`
  assert.deepEqual((await getQuote(partner, quoteId)).priceUpdates, [])
  const figures: number[] = []
  const note = async () => figures.push((await totalCost(partner, quoteId)).monthlyCost)
  succeeded(await partner.post(`${path}/add-tenants`, { tenants: [{ name: 'A', email: 'a@example.com' }] }))
  await note()
  succeeded(await partner.post(`${path}/add-packages`, { packageIds: ['gas-standard'] }))
  await note()
  succeeded(await partner.post(`${path}/add-tenants`, { tenants: [{ name: 'B', email: 'b@example.com' }] }))
  await note()
  succeeded(await partner.post(`/Sandbox/quotes/${quoteId}/expire`))
  await note()
  const { priceUpdates, pricedAt } = await getQuote(partner, quoteId)
  const told = priceUpdates.slice(1).map((update) => {
    const { at, reason, oldMonthlyCost, newMonthlyCost, ...more } = update
    assert.match(at, /^2026-12-01T09:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(more, {})
    return [reason, oldMonthlyCost, newMonthlyCost]
  })
  assert.deepEqual(told, [
    ['packages_changed', figures[0], figures[1]],
    ['tenants_changed', figures[1], figures[2]],
  ])
  assert.equal(figures[3], figures[2], 'the renewal changed no figure')
  assert.ok((figures[1] ?? 0) > (figures[0] ?? 0) && (figures[2] ?? 0) > (figures[1] ?? 0))
  assert.ok((priceUpdates.at(-1)?.at ?? '') < (pricedAt ?? ''))
})
