import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { addTenants, sampleTenants, startHousehold } from '../support/household.ts'
import { createQuote, getQuote, quoteFieldsOf, testTime, totalCost } from '../support/quote-fixtures.ts'
import { packagesWithGreenElectricity, publishChangedRateCard } from '../support/rate-cards.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { specialProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())
await publishChangedRateCard(service, { id: 'two-tariffs', packages: await packagesWithGreenElectricity() })
const partner = await connectPartner(service.baseUrl, service.credentials)

const add = (quoteId: string, packageIds: unknown) => partner.post(`/Quotes/${quoteId}/add-packages`, { packageIds })
const selectedIds = (body: { selectedPackages: { packageId: string }[] }) =>
  body.selectedPackages.map(({ packageId }) => packageId)

test('adding packages selects them and returns the quote with the selection', async () => {
  const created = quoteFieldsOf(await createQuote(partner))
  const { quoteId } = created
  const { cost, ...response } = succeeded(await add(quoteId, ['gas-standard']))
  assert.deepEqual(cost, (await getQuote(partner, quoteId)).cost)
  assert.deepEqual(response, {
    ...created,
    status: 'PackagesSelected',
    selectedPackages: [{ packageId: 'gas-standard', name: 'Standard gas', type: 'gas', status: 'selected' }],
    warnings: [],
    warningDetails: [],
  })
})

test('adding packages keeps the existing selection and returns all selected packages, sorted by service', async () => {
  const { quoteId } = await createQuote(partner, { packages: ['gas'] })
  assert.deepEqual(selectedIds(succeeded(await add(quoteId, ['broadband-standard']))), [
    'gas-standard',
    'broadband-standard',
  ])
  assert.deepEqual(selectedIds(succeeded(await add(quoteId, ['electricity-standard']))), [
    'electricity-standard',
    'gas-standard',
    'broadband-standard',
  ])
})

test('adding a package again changes neither the selection nor the price', async () => {
  const { quoteId } = await createQuote(partner)
  await addTenants(partner, quoteId, sampleTenants(2))
  const once = succeeded(await add(quoteId, ['gas-standard', 'gas-standard']))
  const cost = await totalCost(partner, quoteId)
  assert.deepEqual(succeeded(await add(quoteId, ['gas-standard'])), once)
  assert.deepEqual(await totalCost(partner, quoteId), cost)
})

describe('package_not_available', () => {
  test('package_not_available names every id that is unknown, in the wrong letter case, or not offered because a meter is missing', async () => {
    const { quoteId } = await createQuote(partner, { addressUid: specialProperty('no-gas').addressUid })
    const response = await add(quoteId, ['gas-standard', 'electricity-standard', 'ELECTRICITY-STANDARD', 'nonsense'])
    assertProblem(response, 'package_not_available', [
      '/packageIds/0 package_not_available',
      '/packageIds/2 package_not_available',
      '/packageIds/3 package_not_available',
    ])
    assert.deepEqual((await getQuote(partner, quoteId)).selectedPackages, [], 'the call adds nothing')
  })

  test('a second package of the same type returns package_not_available, even if both are added in one call', async () => {
    const { quoteId } = await createQuote(partner)
    assertProblem(await add(quoteId, ['electricity-green', 'electricity-standard']), 'package_not_available', [
      '/packageIds/1 package_not_available',
    ])
    succeeded(await add(quoteId, ['electricity-green']))
    const response = await add(quoteId, ['gas-standard', 'electricity-standard'])
    const problem = assertProblem(response, 'package_not_available', ['/packageIds/1 package_not_available'])
    assert.match(problem.detail, /update-packages/)
    assert.deepEqual(selectedIds(await getQuote(partner, quoteId)), ['electricity-green'])
  })
})

test('at most ten packages can be added at once', async () => {
  const { quoteId } = await createQuote(partner)
  const eleven = Array.from({ length: 11 }, () => 'gas-standard')
  assertProblem(await add(quoteId, eleven), 'validation_failed', ['/packageIds too_long'])
})

test('simultaneous calls that add different packages all take effect', async () => {
  const { quoteId } = await createQuote(partner)
  const ids = ['electricity-green', 'gas-standard', 'broadband-standard']
  for (const response of await Promise.all(ids.map((id) => add(quoteId, [id])))) succeeded(response)
  assert.deepEqual(selectedIds(await getQuote(partner, quoteId)).sort(), ids.sort())
})

const update = (quoteId: string, packageIds: unknown) =>
  partner.post(`/Quotes/${quoteId}/update-packages`, { packageIds })

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
