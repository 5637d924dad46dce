import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addTenants, sampleTenants, startHousehold } from '../support/household.ts'
import {
  createExpiredQuote,
  createQuote,
  getQuote,
  quoteFieldsOf,
  testTime,
  totalCost,
} from '../support/quote-fixtures.ts'
import { packagesWithGreenElectricity, publishChangedRateCard } from '../support/rate-cards.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { specialProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())
await publishChangedRateCard(service, { id: 'two-tariffs', packages: await packagesWithGreenElectricity() })
const partner = await connectPartner(service.baseUrl, service.credentials)

const update = (quoteId: string, packageIds: unknown) =>
  partner.post(`/Quotes/${quoteId}/update-packages`, { packageIds })
const idsOf = (packages: { packageId: string }[]) => packages.map(({ packageId }) => packageId)

test('an update replaces the selection, and the response has the quote and the new selection', async () => {
  const created = await createQuote(partner, { packages: ['electricity', 'gas'] })
  const { quoteId } = created
  const { updatedPackages, cost, warnings, warningDetails, ...quote } = succeeded(
    await update(quoteId, ['broadband-standard', 'electricity-green']),
  )
  assert.deepEqual(updatedPackages, [
    { packageId: 'broadband-standard', name: 'Home broadband', type: 'broadband', status: 'selected' },
    { packageId: 'electricity-green', name: 'Green electricity', type: 'electricity', status: 'selected' },
  ])
  assert.deepEqual(quote, { ...quoteFieldsOf(created), status: 'PackagesUpdated' })
  assert.deepEqual([cost, warnings.length, warningDetails.length], [(await getQuote(partner, quoteId)).cost, 1, 1])
})

test('packages can be updated in every open status, including draft, and the tenants are kept', async () => {
  const { quoteId } = await createQuote(partner)
  assert.equal(succeeded(await update(quoteId, ['gas-standard'])).status, 'PackagesUpdated')
  await addTenants(partner, quoteId, sampleTenants(2))
  assert.equal(succeeded(await update(quoteId, ['electricity-green'])).status, 'PackagesUpdated')
  const quote = await getQuote(partner, quoteId)
  assert.equal(quote.tenants.length, 2)
  assert.deepEqual(idsOf(quote.selectedPackages), ['electricity-green'])
})

test('the price is recalculated when the selection is updated', async () => {
  const { quoteId } = await startHousehold(partner, { packages: ['electricity', 'gas'] })
  const both = await totalCost(partner, quoteId)
  succeeded(await update(quoteId, ['gas-standard']))
  const gas = await totalCost(partner, quoteId)
  assert.deepEqual(
    gas.lines,
    both.lines.filter(({ type }) => type === 'gas'),
  )
  assert.equal(gas.QuotePricesUpdated, false)
})

test('broadband products are removed when the broadband package is deselected; otherwise they are kept', async () => {
  const { quoteId } = await startHousehold(partner, { packages: ['gas'], products: ['fibre-150'] })
  succeeded(await update(quoteId, ['broadband-standard']))
  assert.equal((await getQuote(partner, quoteId)).broadbandProducts.length, 1)
  succeeded(await update(quoteId, ['gas-standard']))
  assert.deepEqual((await getQuote(partner, quoteId)).broadbandProducts, [])
  assertProblem(await partner.get(`/Quotes/${quoteId}/get-bb-install-dates`), 'broadband_products_required')
  succeeded(await update(quoteId, ['broadband-standard']))
  assert.deepEqual((await totalCost(partner, quoteId)).warnings, ['broadband_products_required'])
})

test('an expired quote stays expired when its packages are updated', async () => {
  const { quoteId } = await createExpiredQuote(partner)
  const { expiresAt } = await getQuote(partner, quoteId)
  const updated = succeeded(await update(quoteId, ['gas-standard']))
  assert.deepEqual([updated.status, updated.expiresAt], ['PackagesUpdated', expiresAt])
  assertProblem(
    await partner.post(`/Quotes/${quoteId}/add-packages`, { packageIds: ['electricity-standard'] }),
    'quote_expired',
  )
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, true)
})

test('package_not_available names every id, and the selection is unchanged', async () => {
  const { quoteId } = await createQuote(partner, {
    addressUid: specialProperty('no-gas').addressUid,
    packages: ['broadband'],
  })
  const ids = ['gas-standard', 'electricity-green', 'electricity-standard', 'electricity-green', 'none']
  assertProblem(await update(quoteId, ids), 'package_not_available', [
    '/packageIds/0 package_not_available',
    '/packageIds/2 package_not_available',
    '/packageIds/4 package_not_available',
  ])
  assert.deepEqual(idsOf((await getQuote(partner, quoteId)).selectedPackages), ['broadband-standard'])
})

test('at most ten packages can be selected', async () => {
  const { quoteId } = await createQuote(partner)
  const eleven = Array.from({ length: 11 }, () => 'gas-standard')
  assertProblem(await update(quoteId, eleven), 'validation_failed', ['/packageIds too_long'])
})
