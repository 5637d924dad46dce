import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { daysInPeriod, isoDate } from '../../src/platform/kernel/dates.ts'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { addTenants, finalise, sampleTenants, startHousehold } from '../support/household.ts'
import { connectNewPartner, withDatabase } from '../support/partners.ts'
import {
  advanceClock,
  createExpiredQuote,
  createQuote,
  expire,
  getQuote,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import {
  defaultRateCard,
  packagesWithGreenElectricity,
  packagesWithRatesMultiplied,
  publishChangedRateCard,
} from '../support/rate-cards.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())
const first = isoDate(testTime.slice(0, 10))
const shipped = 'price-cap-2026-q4-gb-average'

/** A new partner with its own clock. Each test's rate cards are on sale in a different month. */
async function partnerOn(day: string): Promise<Partner> {
  const partner = await connectNewPartner(service)
  await advanceTo(partner, first, day)
  return partner
}

/** Moves the partner's clock from 9:00 on `from` to 9:00 on `to`. */
async function advanceTo(partner: Partner, from: string, to: string): Promise<void> {
  await advanceClock(partner, { days: daysInPeriod(isoDate(from), isoDate(to)) - 1 })
}

const idsOf = (packages: { packageId: string }[]) => packages.map(({ packageId }) => packageId)
const read = (partner: Partner, quoteId: string) => partner.get(`/Quotes/${quoteId}/total-cost`)

test('an expired quote is priced once with the current rate card, its expiry is extended and an event is sent', async () => {
  const partner = await partnerOn('2027-01-25')
  await publishChangedRateCard(service, {
    id: 'twice-the-price',
    packages: await packagesWithRatesMultiplied(2),
    onSaleFrom: '2027-02-01',
    onSaleTo: '2027-02-28',
  })
  const dates = { contractStartDate: '2027-06-01', contractEndDate: '2028-05-31' }
  const { quoteId } = await startHousehold(partner, dates)
  const before = await totalCost(partner, quoteId)
  assert.deepEqual([before.quotingToolVersionId, before.QuotePricesUpdated], [shipped, false])
  await advanceTo(partner, '2027-01-25', '2027-02-10')
  assert.deepEqual((await getQuote(partner, quoteId)).quotingToolVersionId, shipped, 'GET does not change the version')

  const after = await totalCost(partner, quoteId)
  assert.deepEqual([after.quotingToolVersionId, after.QuotePricesUpdated], ['twice-the-price', true])
  assert.match(after.expiresAt, /^2027-02-24T09:/, '14 days later')
  assert.deepEqual([after.contractStartDate, after.contractEndDate], Object.values(dates))
  const afresh = await totalCost(partner, (await startHousehold(partner, dates)).quoteId)
  assert.deepEqual(after.lines, afresh.lines, 'the price is the same as for a new quote on that day')
  assert.ok(after.totalCost > before.totalCost)

  const again = await totalCost(partner, quoteId)
  assert.deepEqual(again, after, 'QuotePricesUpdated stays true until the partner acts on the new price')
  const { priceUpdates, pricedAt, status } = await getQuote(partner, quoteId)
  assert.equal(status, 'TenantsAdded')
  const { at, ...update } = priceUpdates.at(-1) ?? {}
  assert.equal(at, pricedAt)
  assert.deepEqual(update, {
    reason: 'quote_expired',
    oldMonthlyCost: before.monthlyCost,
    newMonthlyCost: after.monthlyCost,
  })
})

test('a quote expires no later than the end of the last day on which its rate card is on sale', async () => {
  const partner = await partnerOn('2027-03-05')
  await publishChangedRateCard(service, { id: 'until-the-tenth', onSaleFrom: '2027-03-01', onSaleTo: '2027-03-10' })
  const { quoteId } = await startHousehold(partner, { contractStartDate: '2027-06-01' })
  assert.equal((await getQuote(partner, quoteId)).expiresAt, '2027-03-10T23:59:59.999Z')
  await expire(partner, quoteId)
  assert.equal((await totalCost(partner, quoteId)).expiresAt, '2027-03-10T23:59:59.999Z')
  await advanceTo(partner, '2027-03-05', '2027-03-11')
  const renewed = await totalCost(partner, quoteId)
  assert.deepEqual([renewed.quotingToolVersionId, renewed.QuotePricesUpdated], [shipped, true])
  assert.match(renewed.expiresAt, /^2027-03-25T09:/)
})

test('of simultaneous total-cost calls, exactly one prices the quote again, and all return the new figures', async () => {
  const partner = await partnerOn('2026-12-01')
  const { quoteId } = await createExpiredQuote(partner)
  const responses = (await Promise.all(Array.from({ length: 6 }, () => read(partner, quoteId)))).map(succeeded)
  assert.ok(responses.every(({ QuotePricesUpdated }) => QuotePricesUpdated))
  assert.equal(new Set(responses.map(({ expiresAt }) => expiresAt)).size, 1)
  const type = 'quote.prices.updated'
  const renewals = await rawRows(service, 'select from events where quote_id = $1 and type = $2', [quoteId, type])
  assert.equal(renewals.length, 1)
  const { priceUpdates } = await getQuote(partner, quoteId)
  assert.ok(
    priceUpdates.every(({ reason }) => reason !== 'quote_expired'),
    'no figure changed',
  )
})

describe('the version', () => {
  test('a requested version is kept while it is on sale, even if it is not the default', async () => {
    const partner = await partnerOn('2026-12-01')
    const { quoteId } = await startHousehold(partner, { quotingToolVersionId: 'price-cap-2026-q3-regional' })
    await advanceClock(partner, { days: 20 })
    const cost = await totalCost(partner, quoteId)
    assert.deepEqual([cost.quotingToolVersionId, cost.QuotePricesUpdated], ['price-cap-2026-q3-regional', true])
  })

  test('a requested version that is no longer on sale is replaced by the default', async () => {
    const partner = await partnerOn('2027-04-05')
    await publishChangedRateCard(service, { id: 'april-one', onSaleFrom: '2027-04-01', onSaleTo: '2027-04-30' })
    await publishChangedRateCard(service, { id: 'april-two', onSaleFrom: '2027-04-10', onSaleTo: '2027-05-31' })
    const { quoteId } = await startHousehold(partner, { quotingToolVersionId: 'april-one' })
    await advanceTo(partner, '2027-04-05', '2027-04-30')
    assert.equal((await totalCost(partner, quoteId)).quotingToolVersionId, 'april-one')
    await advanceTo(partner, '2027-04-30', '2027-05-01')
    const cost = await totalCost(partner, quoteId)
    assert.deepEqual([cost.quotingToolVersionId, cost.QuotePricesUpdated], ['april-two', true])
  })

  test('a quote without a requested version moves to the current default', async () => {
    const partner = await partnerOn('2027-06-05')
    await publishChangedRateCard(service, { id: 'mid-june', onSaleFrom: '2027-06-10', onSaleTo: '2027-06-30' })
    const { quoteId } = await startHousehold(partner)
    await advanceTo(partner, '2027-06-05', '2027-06-25')
    assert.equal((await totalCost(partner, quoteId)).quotingToolVersionId, 'mid-june')
  })
})

describe('packages', () => {
  test('when the rate card changes, packages are matched by id or else replaced by the default of their type', async () => {
    const partner = await partnerOn('2027-07-01')
    const packages = await packagesWithGreenElectricity()
    const gasOnly = packages.filter(({ type }) => type === 'gas')
    await publishChangedRateCard(service, { id: 'july', packages, onSaleFrom: '2027-07-01', onSaleTo: '2027-07-31' })
    await publishChangedRateCard(service, {
      id: 'august',
      packages: [...packages, ...gasOnly.map((pack) => ({ ...pack, packageId: 'gas-plain', isDefault: false }))],
      onSaleFrom: '2027-08-01',
      onSaleTo: '2027-08-31',
    })
    const { quoteId } = await createQuote(partner)
    await addTenants(partner, quoteId, sampleTenants(1))
    const packageIds = ['electricity-green', 'gas-standard']
    succeeded(await partner.post(`/Quotes/${quoteId}/add-packages`, { packageIds }))
    await advanceTo(partner, '2027-07-01', '2027-08-05')
    assert.equal((await totalCost(partner, quoteId)).quotingToolVersionId, 'august')
    assert.deepEqual(idsOf((await getQuote(partner, quoteId)).selectedPackages).sort(), packageIds)
    await advanceTo(partner, '2027-08-05', '2027-09-05')
    assert.equal((await totalCost(partner, quoteId)).quotingToolVersionId, shipped)
    assert.deepEqual(idsOf((await getQuote(partner, quoteId)).selectedPackages), [
      'electricity-standard',
      'gas-standard',
    ])
    const replaced = {
      code: 'package_replaced',
      packageId: 'electricity-green',
      replacementId: 'electricity-standard',
      date: null,
      quoteId: null,
    }
    const { warnings, warningDetails } = await totalCost(partner, quoteId)
    assert.deepEqual(warnings, ['package_replaced'])
    assert.deepEqual(
      warningDetails.map(({ detail, ...warning }) => [warning, /update-packages/.test(detail)]),
      [[replaced, true]],
    )
    assert.deepEqual((await getQuote(partner, quoteId)).warningDetails, warningDetails)
    succeeded(await partner.post(`/Quotes/${quoteId}/add-packages`, { packageIds: ['electricity-standard'] }))
    assert.deepEqual((await totalCost(partner, quoteId)).warnings, [], 'choosing packages again removes the warning')
  })

  test('if a service is no longer sold, its packages are removed from the quote; for broadband, its products are removed too', async () => {
    const partner = await partnerOn('2027-09-20')
    const { packages } = await defaultRateCard()
    await publishChangedRateCard(service, {
      id: 'energy-of-october',
      packages: packages.filter(({ type }) => type !== 'broadband'),
      onSaleFrom: '2027-10-01',
      onSaleTo: '2027-10-31',
    })
    const { quoteId } = await startHousehold(partner, { products: ['fibre-150', 'static-ip'] })
    await advanceTo(partner, '2027-09-20', '2027-10-10')
    const cost = await totalCost(partner, quoteId)
    assert.deepEqual(
      cost.lines.map(({ type }) => type),
      ['electricity', 'gas'],
    )
    const { selectedPackages, broadbandProducts, warnings, warningDetails } = await getQuote(partner, quoteId)
    assert.deepEqual(idsOf(selectedPackages), ['electricity-standard', 'gas-standard'])
    assert.deepEqual(broadbandProducts, [])
    assert.deepEqual([warnings, cost.warnings], [['package_dropped'], ['package_dropped']])
    assert.deepEqual(
      warningDetails.map(({ packageId, replacementId }) => [packageId, replacementId]),
      [['broadband-standard', null]],
    )
    assert.match(warningDetails[0]?.detail ?? '', /its products were removed too/)
    succeeded(await partner.post(`/Quotes/${quoteId}/update-packages`, { packageIds: ['gas-standard'] }))
    assert.deepEqual((await getQuote(partner, quoteId)).warnings, [])
    assertProblem(await partner.get(`/Quotes/${quoteId}/get-bb-install-dates`), 'broadband_products_required')
  })
})

test('energy is removed if the new rate card has no rates for the region', async () => {
  const partner = await partnerOn('2027-10-25')
  const [electricity, ...others] = await packagesWithRatesMultiplied(1)
  const rates = electricity?.rates?.GB
  assert.ok(electricity && rates)
  await publishChangedRateCard(service, {
    id: 'north-eastern-november',
    packages: [{ ...electricity, rates: { _F: rates } }, ...others],
    onSaleFrom: '2027-11-01',
    onSaleTo: '2027-11-30',
  })
  const { quoteId } = await startHousehold(partner)
  await advanceTo(partner, '2027-10-25', '2027-11-20')
  assert.deepEqual(
    (await totalCost(partner, quoteId)).lines.map(({ type }) => type),
    ['gas'],
  )
})

test('a call that fails for lack of packages or tenants returns that error, but still renews an expired quote', async () => {
  const partner = await partnerOn('2026-12-01')
  const { quoteId, expiresAt } = await createQuote(partner)
  await advanceClock(partner, { days: 30 })
  assertProblem(await read(partner, quoteId), 'packages_required')
  const quote = await getQuote(partner, quoteId)
  assert.ok(quote.expiresAt > expiresAt)
  assert.equal(quote.contractStartDate, '2027-02-12')
  assert.deepEqual(quote.priceUpdates, [], 'a quote without a price has no price update')
  succeeded(await partner.post(`/Quotes/${quoteId}/add-packages`, { packageIds: ['gas-standard'] }))
  await expire(partner, quoteId)
  assertProblem(await read(partner, quoteId), 'tenants_required')
})

test('dates set by the lead tenant are treated as requested dates', async () => {
  const partner = await partnerOn(first)
  const { quoteId, lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead, { contractStartDate: '2026-12-03', contractEndDate: '2027-08-31' }))
  await advanceTo(partner, first, '2027-01-10')
  const { contractStartDate, contractEndDate } = await totalCost(partner, quoteId)
  assert.deepEqual([contractStartDate, contractEndDate], ['2027-01-11', '2027-08-31'])
})

test('if less than a month is left, the quote stays expired and the error says why', async () => {
  const options = { contractStartDate: '2026-12-05', contractEndDate: '2027-06-30' }
  const partner = await partnerOn(first)
  const { quoteId } = await startHousehold(partner, options)
  const { warnings, warningDetails, ...before } = await getQuote(partner, quoteId)
  assert.deepEqual([warnings, warningDetails.length], [['supply_request_required'], 1])
  for (const [from, to] of [
    [first, '2027-06-02'],
    ['2027-06-02', '2028-01-01'],
  ] as const) {
    await advanceTo(partner, from, to)
    const response = await read(partner, quoteId)
    assert.match(assertProblem(response, 'quote_expired').detail, /less than a month.*new quote/)
    const { warnings: now, warningDetails: details, ...after } = await getQuote(partner, quoteId)
    assert.deepEqual(after, before)
    assert.deepEqual([now, details.length], [['quote_expired'], 1])
  }
})

test('a broadband start in the past moves according to the working-day rule; one in the future is kept', async () => {
  const partner = await partnerOn(first)
  const { quoteId } = await startHousehold(partner, { contractStartDate: '2026-12-20', products: ['fibre-150'] })
  const start = async () => {
    const { lines } = await totalCost(partner, quoteId)
    return lines.find(({ type }) => type === 'broadband')?.startDate
  }
  const found = await start()
  await advanceTo(partner, first, '2026-12-16')
  await expire(partner, quoteId)
  assert.equal(await start(), found)
  await advanceTo(partner, '2026-12-16', '2027-03-01')
  // Ten working days after Monday 1 March.
  assert.equal(await start(), '2027-03-15')
})

describe('when no rate card is on sale', () => {
  test('new and expired quotes return 503 with Retry-After, and the expired quote stays unchanged', async () => {
    const lean = await startTestService({}, { clock: movableClock(testTime) })
    try {
      await withDatabase(lean, (db) =>
        db.pool.query('set local session_replication_role = replica; delete from rate_cards'),
      )
      await publishChangedRateCard(lean, { id: 'december-only', onSaleFrom: '2026-12-01', onSaleTo: '2026-12-31' })
      const partner = await connectNewPartner(lean)
      const { quoteId } = await startHousehold(partner)
      await advanceClock(partner, { days: 31 })
      const before = await getQuote(partner, quoteId)
      for (const response of [
        await partner.post('/Quotes', { addressUid: ordinaryProperty().addressUid }),
        await read(partner, quoteId),
      ]) {
        assertProblem(response, 'service_unavailable')
        assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
      }
      assert.deepEqual(await getQuote(partner, quoteId), before)
      assert.deepEqual(succeeded(await partner.get('/Quotes/quoting-tool-versions')), { versions: [] })
    } finally {
      await lean.stop()
    }
  })
})
