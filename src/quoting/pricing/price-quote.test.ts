import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { consumptionBand } from './household-use.ts'
import type { CostFigures } from './price.ts'
import { type PriceQuoteInput, priceQuote } from './price-quote.ts'
import { autumnCard, fibreLine, packagesOfTypes, summerCard, withSetupFee } from './rate-card.fixture.ts'

// The expected figures were calculated by hand. Comments show the calculations.

const household: PriceQuoteInput = {
  card: autumnCard,
  address: { mpan: '1000000000040', mprn: '3938424403', country: 'England' },
  region: '_B',
  packages: packagesOfTypes(autumnCard, 'broadband', 'gas', 'electricity'),
  products: [fibreLine],
  broadbandStartDate: isoDate('2027-01-15'),
  tenantIds: ['tenant_lead', 'tenant_2', 'tenant_3'],
  bedrooms: null,
  contractStartDate: isoDate('2027-01-15'),
  contractEndDate: isoDate('2028-01-14'),
  billingDay: 1,
}

type Row = [week: number, month: number, year: number, total: number, net: number, vat: number]

function row(figures: CostFigures | undefined): Row | undefined {
  if (figures === undefined) return undefined
  const { weeklyCost, monthlyCost, yearlyCost, totalCost, totalNet, totalVat } = figures
  return [weeklyCost, monthlyCost, yearlyCost, totalCost, totalNet, totalVat]
}

function setup(figures: CostFigures | undefined): [number, number, number] | undefined {
  return figures === undefined ? undefined : [figures.setupCost, figures.setupNet, figures.setupVat]
}

test("the worked example has each line's cost, net and VAT", () => {
  const price = priceQuote(household)
  assert.deepEqual(
    price.lines.map(({ type }) => type),
    ['electricity', 'gas', 'broadband'],
  )
  const [electricity, gas, broadband] = price.lines
  // Net per day: 2,500 ÷ 365 × 26.32 + 54.83; 76 days at 0 % and 289 at 5 %: 85,812.95 + 3,397.25 = 89,210.20
  assert.deepEqual(row(electricity), [1_716, 7_434, 89_210, 89_210, 85_813, 3_397])
  assert.deepEqual(electricity?.vatRates, [
    { rate: '0', from: '2027-01-15', to: '2027-03-31' },
    { rate: '0.05', from: '2027-04-01', to: '2028-01-14' },
  ])
  // 9,500 × 7.97 + 365 × 29.68 = 86,548.20. A 21st of this is VAT: 4,121.34
  assert.deepEqual(row(gas), [1_664, 7_212, 86_548, 86_548, 82_427, 4_121])
  assert.deepEqual(row(broadband), [692, 3_000, 36_000, 37_000, 30_833, 6_167])
  assert.deepEqual(
    [setup(electricity), setup(gas), setup(broadband)],
    [
      [0, 0, 0],
      [0, 0, 0],
      [1_000, 833, 167],
    ],
  )
})

test('the household total of the worked example is the sum of its lines', () => {
  const price = priceQuote(household)
  assert.deepEqual(row(price), [4_072, 17_646, 211_758, 212_758, 199_073, 13_685])
  assert.deepEqual(setup(price), [1_000, 833, 167])
  assert.equal(price.quotingToolVersionId, 'autumn-2026')
  assert.equal(price.region, 'GB')
  assert.equal(price.consumptionBand, 'medium')
  assert.equal(price.electricityKwhPerYear, 2_500)
  assert.equal(price.gasKwhPerYear, 9_500)
  assert.equal(price.contractStartDate, '2027-01-15')
  assert.equal(price.contractEndDate, '2028-01-14')
  assert.equal(price.billingDay, 1)
})

test("each figure of the worked example is split into each tenant's share", () => {
  const { shares } = priceQuote(household)
  assert.deepEqual(
    shares.map(({ tenantId }) => tenantId),
    ['tenant_lead', 'tenant_2', 'tenant_3'],
  )
  // 212,758 = 3 × 70,919 + 1; VAT 13,685 = 3 × 4,561 + 2; week 4,072 = 3 × 1,357 + 1
  assert.deepEqual(shares.map(row), [
    [1_358, 5_882, 70_586, 70_920, 66_358, 4_562],
    [1_357, 5_882, 70_586, 70_919, 66_357, 4_562],
    [1_357, 5_882, 70_586, 70_919, 66_358, 4_561],
  ])
  assert.deepEqual(shares.map(setup), [
    [334, 278, 56],
    [333, 277, 56],
    [333, 278, 55],
  ])
  // In the yearly and total costs, electricity leaves two odd pence, which go to the first two tenants. Gas leaves one,
  // which goes to the third tenant. The total cost of broadband leaves one, which goes to the first.
  assert.deepEqual(
    shares.map(({ lines }) => lines.map(row)),
    [
      [
        [572, 2_478, 29_737, 29_737, 28_604, 1_133],
        [555, 2_404, 28_849, 28_849, 27_476, 1_373],
        [231, 1_000, 12_000, 12_334, 10_278, 2_056],
      ],
      [
        [572, 2_478, 29_737, 29_737, 28_605, 1_132],
        [555, 2_404, 28_849, 28_849, 27_475, 1_374],
        [230, 1_000, 12_000, 12_333, 10_277, 2_056],
      ],
      [
        [572, 2_478, 29_736, 29_736, 28_604, 1_132],
        [554, 2_404, 28_850, 28_850, 27_476, 1_374],
        [231, 1_000, 12_000, 12_333, 10_278, 2_055],
      ],
    ],
  )
})

test("London's price cap split between three tenants uses the region's rates and adds up to 13,687 per month", () => {
  const price = priceQuote({
    ...household,
    card: summerCard,
    region: '_C',
    packages: packagesOfTypes(summerCard, 'electricity', 'gas'),
    products: [],
    contractStartDate: isoDate('2028-04-01'),
    contractEndDate: isoDate('2029-03-31'),
  })
  assert.equal(price.region, '_C')
  assert.equal(price.monthlyCost, 13_687)
  assert.equal(price.yearlyCost, 164_245) // 82,220 + 82,025
  assert.equal(price.totalCost, 164_245)
  assert.deepEqual(
    price.shares.map(({ monthlyCost }) => monthlyCost),
    [4_563, 4_562, 4_562],
  )
})

test('a region without rates of its own is priced at the GB average, and the price names GB as its region', () => {
  const elsewhere = {
    ...household,
    card: summerCard,
    region: '_K',
    packages: packagesOfTypes(summerCard, 'electricity'),
  }
  const price = priceQuote({
    ...elsewhere,
    products: [],
    contractStartDate: isoDate('2028-04-01'),
    contractEndDate: isoDate('2029-03-31'),
  })
  assert.equal(price.region, 'GB')
  assert.equal(price.totalCost, 86_149) // 2,500 × 26.11 + 365 × 57.19 = 86,149.35
})

test('pricing an energy package that has rates for neither the region nor GB throws address_not_serviceable', () => {
  const input = {
    ...household,
    card: summerCard,
    region: '_K',
    packages: packagesOfTypes(summerCard, 'gas'),
    products: [],
  }
  assert.throws(
    () => priceQuote(input),
    (error) =>
      error instanceof DomainError && error.code === 'address_not_serviceable' && /gas-standard/.test(error.message),
  )
})

test('a package that is not on the card throws package_not_available', () => {
  const [known] = packagesOfTypes(autumnCard, 'gas')
  assert.ok(known)
  assert.throws(
    () => priceQuote({ ...household, packages: [{ ...known, packageId: 'gas-discontinued' }] }),
    (error) => error instanceof DomainError && error.code === 'package_not_available',
  )
})

test('broadband without a chosen product has no line and is named as not included', () => {
  const price = priceQuote({ ...household, products: [] })
  assert.deepEqual(
    price.lines.map(({ type }) => type),
    ['electricity', 'gas'],
  )
  assert.deepEqual(price.notIncluded, ['broadband'])
  assert.equal(price.totalCost, 175_758) // 89,210 + 86,548
})

test('products are not priced unless the broadband package is selected', () => {
  const price = priceQuote({ ...household, packages: packagesOfTypes(autumnCard, 'electricity', 'gas') })
  assert.deepEqual(
    price.lines.map(({ type }) => type),
    ['electricity', 'gas'],
  )
})

test("the packages' set-up fees add up to the household's set-up", () => {
  const card = withSetupFee(withSetupFee(autumnCard, 'gas', 250), 'broadband', 200)
  const price = priceQuote({ ...household, card })
  assert.deepEqual(
    price.lines.map(({ setupCost, setupVat }) => [setupCost, setupVat]),
    [
      [0, 0],
      [250, 42],
      [1_200, 200],
    ],
  )
  assert.deepEqual(setup(price), [1_450, 1_208, 242])
  assert.equal(price.totalCost, 213_208) // 450 more than without the set-up fees
  assert.equal(price.monthlyCost, 17_646)
})

test('a quote without packages costs nothing, and a quote without tenants has no shares', () => {
  const nothing = priceQuote({ ...household, packages: [], products: [] })
  assert.deepEqual(row(nothing), [0, 0, 0, 0, 0, 0])
  assert.equal(nothing.shares.length, 3)
  assert.deepEqual(priceQuote({ ...household, tenantIds: [] }).shares, [])
})

test('the consumption band depends on bedrooms if there are no tenants, and is medium if both are unknown', () => {
  const bands = (tenants: number[], bedrooms: number | null) => tenants.map((count) => consumptionBand(count, bedrooms))
  assert.deepEqual(bands([1, 2, 3, 4, 12], 1), ['low', 'medium', 'medium', 'high', 'high'])
  assert.equal(consumptionBand(0, null), 'medium')
  assert.deepEqual(
    [0, 1, 2, 3, 4, 9].map((bedrooms) => consumptionBand(0, bedrooms)),
    ['low', 'low', 'medium', 'medium', 'high', 'high'],
  )
})

test('small and large households are priced with the consumption of their bands', () => {
  const input = {
    ...household,
    card: summerCard,
    region: '_C',
    packages: packagesOfTypes(summerCard, 'electricity'),
    products: [],
    contractStartDate: isoDate('2028-04-01'),
    contractEndDate: isoDate('2029-03-31'),
  }
  const alone = priceQuote({ ...input, tenantIds: ['tenant_1'] })
  assert.equal(alone.totalCost, 63_775) // 1,800 × 26.35 + 365 × 44.78 = 63,774.70
  assert.equal(alone.electricityKwhPerYear, 1_800)
  const large = priceQuote({ ...input, tenantIds: [], bedrooms: 5 })
  assert.equal(large.totalCost, 124_380) // 4,100 × 26.35 + 365 × 44.78 = 124,379.70
  assert.equal(large.consumptionBand, 'high')
  assert.equal(large.gasKwhPerYear, 17_000)
})
