import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { insertMissingProperties } from '../../src/properties/properties.store.ts'
import type { SpecialCase } from '../../src/sandbox/samples/special-case.ts'
import { connectPartner } from '../support/client.ts'
import { connectNewPartner, withDatabase } from '../support/partners.ts'
import { advanceClock, createQuote, getQuote, testTime } from '../support/quote-fixtures.ts'
import { packagesWithRatesMultiplied, publishChangedRateCard } from '../support/rate-cards.ts'
import { assertProblem, invalidFields, rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty, specialProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryProperty()
const create = (body: unknown) => partner.post('/Quotes', body)
const typesOf = (packages: { type: string }[]) => packages.map(({ type }) => type)

describe('a quote created with only an addressUid', () => {
  test('the quote is a draft on the default version, valid for fourteen days, with a twelve-month contract that starts in 43 days', async () => {
    const quote = await createQuote(partner)
    assert.deepEqual(Object.keys(quote).sort(), [
      'address',
      'availablePackages',
      'bedrooms',
      'branch',
      'contractEndDate',
      'contractStartDate',
      'contractTerm',
      'cost',
      'createdAt',
      'expiresAt',
      'householdComplete',
      'leadTenantId',
      'lockedUntil',
      'metadata',
      'meter',
      'moveIn',
      'primaryContact',
      'quoteId',
      'quotingToolVersionId',
      'reference',
      'returnUrl',
      'selectedPackages',
      'sendEmails',
      'soldBy',
      'status',
      'tenancy',
      'warningDetails',
      'warnings',
    ])
    assert.match(quote.quoteId, /^quote_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
    assert.equal(quote.status, 'draft')
    assert.equal(quote.quotingToolVersionId, 'price-cap-2026-q4-gb-average')
    assert.equal(quote.contractStartDate, '2027-01-13')
    assert.equal(quote.contractEndDate, '2028-01-12')
    assert.match(quote.createdAt, /^2026-12-01T09:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(Date.parse(quote.expiresAt) - Date.parse(quote.createdAt), 14 * 86_400_000)
    assert.deepEqual([quote.leadTenantId, quote.reference], [null, null])
    const { addressLine1, city, postcode } = ordinaryProperty()
    assert.deepEqual(quote.address, { addressUid, addressLine1, city, postCode: postcode })
  })

  test('lists the available packages: each name includes its type, and the defaults are marked', async () => {
    const { availablePackages } = await createQuote(partner)
    assert.deepEqual(typesOf(availablePackages), ['electricity', 'gas', 'broadband'])
    for (const offered of availablePackages) {
      assert.deepEqual(Object.keys(offered).sort(), ['description', 'isDefault', 'name', 'packageId', 'type'])
      assert.ok(offered.name.toLowerCase().includes(offered.type))
      assert.ok(offered.description.length > 10)
      assert.equal(offered.isDefault, true)
    }
  })
})

test('gas or electricity is not offered if the property has no meter for it', async () => {
  const offered = async (home: Parameters<typeof specialProperty>[0]) =>
    typesOf((await createQuote(partner, { addressUid: specialProperty(home).addressUid })).availablePackages)
  assert.deepEqual(await offered('no-gas'), ['electricity', 'broadband'])
  assert.deepEqual(await offered('no-electricity'), ['gas', 'broadband'])
  assert.deepEqual(await offered('no-meters'), ['broadband'])
  assert.deepEqual(await offered('idno-meter'), ['electricity', 'gas', 'broadband'])
  assert.deepEqual(await offered('scotland'), ['electricity', 'gas', 'broadband'])
})

test("energy is not offered if the version has no rates for the property's region", async () => {
  const [electricity, ...others] = await packagesWithRatesMultiplied(1)
  const rates = electricity?.rates?.GB
  assert.ok(electricity && rates)
  await publishChangedRateCard(service, {
    id: 'north-eastern-electricity',
    packages: [{ ...electricity, rates: { _F: rates } }, ...others],
    onSaleFrom: '2030-01-01',
    onSaleTo: '2030-01-31',
  })
  const own = await connectNewPartner(service)
  await advanceClock(own, { days: 1_127 })
  const offered = async (home: string) => typesOf((await createQuote(own, { addressUid: home })).availablePackages)
  assert.deepEqual(await offered(addressUid), ['gas', 'broadband'])
  assert.deepEqual(await offered(specialProperty('idno-meter').addressUid), ['electricity', 'gas', 'broadband'])
  assertProblem(await own.post('/Quotes', { addressUid, packages: ['electricity'] }), 'package_not_available', [
    '/packages/0 package_not_available',
  ])
})

describe('the short form', () => {
  test('a quote created with packages is a draft; the next GET shows PackagesSelected with the default of each type', async () => {
    const created = await createQuote(partner, { packages: ['gas', 'electricity'] })
    assert.equal(created.status, 'draft')
    const quote = await getQuote(partner, created.quoteId)
    assert.equal(quote.status, 'PackagesSelected')
    assert.deepEqual(
      quote.selectedPackages.map(({ packageId }) => packageId),
      ['electricity-standard', 'gas-standard'],
    )
  })

  test('creating a quote with packages accepts broadband and counts a repeated type once', async () => {
    const { quoteId } = await createQuote(partner, { packages: ['broadband', 'gas', 'broadband'] })
    assert.deepEqual(typesOf((await getQuote(partner, quoteId)).selectedPackages), ['gas', 'broadband'])
  })

  test('creating a quote with packages returns package_not_available for every type that the property cannot have', async () => {
    const response = await create({
      addressUid: specialProperty('no-meters').addressUid,
      packages: ['electricity', 'broadband', 'gas'],
    })
    assertProblem(response, 'package_not_available', [
      '/packages/0 package_not_available',
      '/packages/2 package_not_available',
    ])
  })

  test('an unknown package type returns 422; a type that is not a string, or an empty list, returns 400', async () => {
    assertProblem(await create({ addressUid, packages: ['unknown_service', 'gas', 'Gas'] }), 'validation_failed', [
      '/packages/0 not_allowed',
      '/packages/2 not_allowed',
    ])
    assertProblem(await create({ addressUid, packages: ['unknown_service', 5] }), 'invalid_request', [
      '/packages/0 not_allowed',
      '/packages/1 wrong_type',
    ])
    assertProblem(await create({ addressUid, packages: 'gas' }), 'invalid_request', ['/packages wrong_type'])
    assertProblem(await create({ addressUid, packages: [] }), 'validation_failed', ['/packages too_short'])
    const eleven = Array.from({ length: 11 }, () => 'gas')
    assertProblem(await create({ addressUid, packages: eleven }), 'validation_failed', ['/packages too_long'])
  })
})

test('a version that is on sale can be requested; any other returns quoting_tool_version_not_found', async () => {
  const quotingToolVersionId = 'price-cap-2026-q3-regional'
  const quote = await createQuote(partner, { quotingToolVersionId })
  assert.equal(quote.quotingToolVersionId, quotingToolVersionId)
  for (const unknown of ['price-cap-1999', quotingToolVersionId.toUpperCase()]) {
    assertProblem(await create({ addressUid, quotingToolVersionId: unknown }), 'quoting_tool_version_not_found', [
      '/quotingToolVersionId quoting_tool_version_not_found',
    ])
  }
})

test('an addressUid that belongs to no property returns address_not_found', async () => {
  for (const unknown of ['address_01h455vb4pex5vsknk084sn02q', 'x', addressUid.toUpperCase(), '5 High Street']) {
    assertProblem(await create({ addressUid: unknown }), 'address_not_found', ['/addressUid address_not_found'])
  }
})

test('a property with an unknown region returns address_not_serviceable', async () => {
  const home = {
    ...ordinaryProperty(),
    addressUid: 'address_01h455vb4pex5vsknk084sn02z',
    postcode: 'BT7 1NN',
    mpan: null,
    uprn: '42',
  }
  await withDatabase(service, (db) => insertMissingProperties(db, [home]))
  assertProblem(await create({ addressUid: home.addressUid }), 'address_not_serviceable')
})

test('reference and bedrooms are accepted within their limits', async () => {
  const reference = `Ω 家 ${'x'.repeat(96)}`
  assert.equal((await createQuote(partner, { reference, bedrooms: 0 })).reference, reference)
  succeeded(await create({ addressUid, reference: '🏠'.repeat(100), bedrooms: 50 }))
  const bad = { addressUid, bedrooms: 51 }
  assertProblem(await create({ ...bad, reference: 'x'.repeat(101) }), 'validation_failed', [
    '/bedrooms out_of_range',
    '/reference too_long',
  ])
  assertProblem(await create({ ...bad, bedrooms: -1, reference: '' }), 'validation_failed', [
    '/bedrooms out_of_range',
    '/reference too_short',
  ])
  for (const unusable of [' ', 'two\nlines', 'nul\u0000', '\ud800']) {
    assertProblem(await create({ addressUid, reference: unusable }), 'validation_failed', ['/reference wrong_format'])
  }
})

test('the tenancy and the meter facts that are sent are shown wherever the quote is, and what is not sent is unknown', async () => {
  const tenancy = { type: 'assured_periodic', joint: true, students: 'unknown', expectedUntil: '2028-01-12' } as const
  const { quoteId } = await createQuote(partner, { addressUid, tenancy, meter: { payment: 'prepayment', smart: true } })
  const [listed] = succeeded(await partner.get('/Quotes?limit=1')).data
  for (const quote of [await getQuote(partner, quoteId), listed]) {
    assert.deepEqual(quote?.tenancy, { ...tenancy, startedOn: null, fixedUntil: null })
    const facts = { payment: 'prepayment', registers: 'unknown', smart: true, heating: 'unknown' }
    assert.deepEqual(quote?.meter, facts)
  }
  const wrong = { tenancy: { type: 'lease', joint: 'no', startedOn: '2026-13-01' }, meter: { heating: 'coal' } }
  assert.deepEqual(invalidFields(rejected(await create({ addressUid, ...wrong }), 422, 'validation_failed')), [
    ['/meter/heating', 'not_allowed'],
    ['/tenancy/joint', 'not_allowed'],
    ['/tenancy/startedOn', 'wrong_format'],
    ['/tenancy/type', 'not_allowed'],
  ])
})

test('a quote takes what is known of the meters of its home, unless the partner says otherwise', async () => {
  const quoteOf = (home: SpecialCase, meter?: object) =>
    createQuote(partner, {
      addressUid: specialProperty(home).addressUid,
      packages: ['electricity'],
      ...(meter === undefined ? {} : { meter }),
    })
  const [double, single] = [
    await quoteOf('two-rate-meter'),
    await quoteOf('two-rate-meter', { registers: 'single', smart: true }),
  ]
  // 2,500 kWh, 42% of them at 14.92p and the others at 31.64p, cost 1.7024p less each than at 26.32p: 4,256 pence a year
  // before the VAT from April.
  const difference = (single.cost?.yearlyCost ?? 0) - (double.cost?.yearlyCost ?? 0)
  assert.ok(difference >= 4_256 && difference <= 4_469, String(difference))
  assert.deepEqual([double.warnings, single.warnings], [[], []])
  const known = { payment: 'unknown', registers: 'single', smart: true, heating: 'unknown' }
  assert.deepEqual(single.meter, known)
  assert.deepEqual((await quoteOf('prepayment-meter')).warnings, ['prepayment_meter'])
  const network = await quoteOf('heat-network')
  assert.deepEqual(network.warnings, ['heat_network'])
  assert.deepEqual(
    network.availablePackages.map(({ type }) => type),
    ['electricity', 'broadband'],
  )
})
