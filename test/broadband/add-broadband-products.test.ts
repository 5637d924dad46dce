import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addBroadband, addTenants, sampleTenants, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createQuote, getQuote, quoteFieldsOf, testTime, totalCost } from '../support/quote-fixtures.ts'
import { defaultRateCard, publishChangedRateCard } from '../support/rate-cards.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { ordinaryProperty, specialProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const add = (quoteId: string, broadbandProducts: unknown, own = partner) =>
  own.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts })
const check = async (addressUid: string, own = partner) =>
  succeeded(await own.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
const idsOf = (quote: { broadbandProducts: { productId: string }[] }) =>
  quote.broadbandProducts.map(({ productId }) => productId)

test('adding products selects the broadband package and returns the quote with all products', async () => {
  const draft = await createQuote(partner, { packages: ['gas'] })
  const { quoteId } = draft
  await check(draft.address.addressUid)
  const { cost, ...response } = succeeded(await add(quoteId, ['wifi-whole-home', 'fibre-150']))
  assert.deepEqual(cost, (await getQuote(partner, quoteId)).cost)
  assert.deepEqual(response, {
    ...quoteFieldsOf(draft),
    status: 'BroadbandAdded',
    broadbandProducts: [
      { productId: 'fibre-150', name: 'Home Broadband 150', status: 'added' },
      { productId: 'wifi-whole-home', name: 'Whole Home Wi-Fi', status: 'added' },
    ],
    warnings: [],
    warningDetails: [],
  })
  const { selectedPackages } = await getQuote(partner, quoteId)
  assert.deepEqual(
    selectedPackages.map(({ packageId }) => packageId),
    ['gas-standard', 'broadband-standard'],
  )
  assert.equal(draft.availablePackages.length, 3)
})

test('a new line replaces the old one, and each add-on is kept once', async () => {
  const { quoteId } = await createQuote(partner)
  assert.deepEqual(idsOf(await addBroadband(partner, quoteId, ['fibre-67', 'static-ip'])), ['fibre-67', 'static-ip'])
  assert.deepEqual(idsOf(succeeded(await add(quoteId, ['fibre-500']))), ['fibre-500', 'static-ip'])
  assert.deepEqual(idsOf(succeeded(await add(quoteId, ['static-ip', 'wifi-whole-home', 'static-ip']))).sort(), [
    'fibre-500',
    'static-ip',
    'wifi-whole-home',
  ])
  assert.deepEqual(idsOf(succeeded(await add(quoteId, ['fibre-500', 'fibre-500']))).length, 3)
})

test('add-ons without a main line are rejected, each on its place in the list', async () => {
  const draft = await createQuote(partner, { packages: ['gas'] })
  await check(draft.address.addressUid)
  const problem = assertProblem(
    await add(draft.quoteId, ['static-ip', 'wifi-whole-home']),
    'broadband_products_required',
    ['/broadbandProducts/0 broadband_products_required', '/broadbandProducts/1 broadband_products_required'],
  )
  assert.match(problem.detail, /main line/)
  assert.deepEqual((await getQuote(partner, draft.quoteId)).broadbandProducts, [])
})

test('each added product becomes a cost line, removes the warning and moves the start to the first install date', async () => {
  const { quoteId } = await startHousehold(partner, { packages: ['broadband'] })
  assert.deepEqual((await totalCost(partner, quoteId)).warnings, ['broadband_products_required'])
  await addBroadband(partner, quoteId, ['fibre-150', 'static-ip'])
  const { lines, warnings, monthlyCost, setupCost, contractStartDate } = await totalCost(partner, quoteId)
  const { earliestDate } = succeeded(await partner.get(`/Quotes/${quoteId}/get-bb-install-dates`))
  assert.deepEqual(warnings, [])
  assert.deepEqual([monthlyCost, setupCost], [2_900 + 500, 1_000])
  assert.ok(earliestDate >= contractStartDate)
  assert.deepEqual(
    lines.map((line) => [line.productId, line.packageId, line.monthlyCost, line.startDate]),
    [
      ['fibre-150', 'broadband-standard', 2_900, earliestDate],
      ['static-ip', 'broadband-standard', 500, earliestDate],
    ],
  )
})

test('products can be added to a draft, before packages and tenants', async () => {
  const { quoteId } = await createQuote(partner)
  assert.deepEqual(idsOf(await addBroadband(partner, quoteId, ['fibre-67'])), ['fibre-67'])
  await addTenants(partner, quoteId, sampleTenants(1))
  assert.equal((await totalCost(partner, quoteId)).monthlyCost, 2_600)
})

describe('broadband_check_required', () => {
  test("products cannot be added if the quote's address was never checked, even if another address was", async () => {
    const { quoteId } = await createQuote(partner, { addressUid: ordinaryProperty(20).addressUid })
    await check(ordinaryProperty(21).addressUid)
    const response = await add(quoteId, ['fibre-67'])
    assert.match(assertProblem(response, 'broadband_check_required').detail, /run-broadband-availability-check/)
  })

  test('products cannot be added if only another partner has checked the address', async () => {
    const { addressUid } = ordinaryProperty(22)
    const { quoteId } = await createQuote(partner, { addressUid })
    await check(addressUid, await connectNewPartner(service))
    assertProblem(await add(quoteId, ['fibre-67']), 'broadband_check_required')
    await check(addressUid)
    succeeded(await add(quoteId, ['fibre-67']))
  })

  test('products cannot be added if the last check is over 24 hours old', async () => {
    const own = await connectNewPartner(service)
    const { quoteId, address } = await createQuote(own)
    await check(address.addressUid, own)
    await advanceClock(own, { seconds: 86_300 })
    succeeded(await add(quoteId, ['fibre-67'], own))
    await advanceClock(own, { seconds: 200 })
    assertProblem(await add(quoteId, ['fibre-150'], own), 'broadband_check_required')
    await check(address.addressUid, own)
    succeeded(await add(quoteId, ['fibre-150'], own))
  })

  test('products that the check found can be added even if it could not reach the broadband database', async () => {
    const { addressUid } = specialProperty('broadband-database-down')
    const { quoteId } = await createQuote(partner, { addressUid })
    await check(addressUid)
    assert.deepEqual(idsOf(succeeded(await add(quoteId, ['fibre-67']))), ['fibre-67'])
  })
})

test('broadband_product_not_available names every id that the check did not find and any second broadband line in the same call', async () => {
  const { quoteId } = await createQuote(partner)
  await addBroadband(partner, quoteId, ['fibre-500', 'static-ip'])
  const response = await add(quoteId, ['fibre-67', 'satellite', 'fibre-150', 'FIBRE-67'])
  assertProblem(response, 'broadband_product_not_available', [
    '/broadbandProducts/1 broadband_product_not_available',
    '/broadbandProducts/2 broadband_product_not_available',
    '/broadbandProducts/3 broadband_product_not_available',
  ])
  assert.deepEqual(idsOf(await getQuote(partner, quoteId)), ['fibre-500', 'static-ip'], 'the call adds nothing')
})

test('adding products with a version that sells no broadband returns package_not_available', async () => {
  const { packages } = await defaultRateCard()
  await publishChangedRateCard(service, {
    id: 'energy-only',
    packages: packages.filter(({ type }) => type !== 'broadband'),
    onSaleFrom: '2030-01-01',
    onSaleTo: '2030-01-31',
  })
  const own = await connectNewPartner(service)
  await advanceClock(own, { days: 1_127 })
  const { quoteId, quotingToolVersionId, address } = await createQuote(own)
  assert.equal(quotingToolVersionId, 'energy-only')
  await check(address.addressUid, own)
  assertProblem(await add(quoteId, ['fibre-67'], own), 'package_not_available')
})

test('at most ten products can be added at once', async () => {
  const { quoteId } = await createQuote(partner)
  const eleven = Array.from({ length: 11 }, () => 'fibre-67')
  assertProblem(await add(quoteId, eleven), 'validation_failed', ['/broadbandProducts too_long'])
})

test('simultaneous calls that add different products all take effect', async () => {
  const { quoteId } = await createQuote(partner)
  await addBroadband(partner, quoteId, ['fibre-67'])
  await Promise.all([add(quoteId, ['static-ip']), add(quoteId, ['wifi-whole-home']), add(quoteId, ['fibre-150'])])
  assert.deepEqual(idsOf(await getQuote(partner, quoteId)).sort(), ['fibre-150', 'static-ip', 'wifi-whole-home'])
})
