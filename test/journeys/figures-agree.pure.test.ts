import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { buildContractDocument, contractSections } from '../../src/contracts/build-document.ts'
import type { ContractFacts } from '../../src/contracts/contract-facts.ts'
import { documentFormats } from '../../src/contracts/document-renderer.ts'
import { operatorFileSchema } from '../../src/contracts/operator-file.ts'
import { createContractRenderer } from '../../src/contracts/renderer/contract-renderer.ts'
import { meteredSection } from '../../src/contracts/sections/metered-terms.ts'
import { holidays } from '../../src/payments/plan/plan-payments.fixture.ts'
import { planPayments } from '../../src/payments/plan/plan-payments.ts'
import { addDays, isoDate, lastDayOfTerm } from '../../src/platform/kernel/dates.ts'
import { type ServiceTable, serviceNames, services } from '../../src/quoting/packages/services.ts'
import { priceQuote } from '../../src/quoting/pricing/price-quote.ts'
import {
  autumnCard,
  fibreLine,
  packagesOfTypes,
  summerCard,
  wifiAddOn,
  withSetupFee,
} from '../../src/quoting/pricing/rate-card.fixture.ts'
import { offeredPackages } from '../../src/quoting/rates/card-catalogue.ts'
import { type RateCard, rateCardSchema } from '../../src/quoting/rates/rate-card.ts'
import { rateCardProblems } from '../../src/quoting/rates/rate-card-rules.ts'
import { contractFacts, sampleOperator } from '../contracts/contract-facts.fixture.ts'
import { documentTexts } from '../contracts/document-texts.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { assertContains, contractRows, extractContractTexts, withoutWhiteSpace } from './documents.ts'

// No one will sell steam. A service needs a row, rates on a card and contract text, and nothing else.

const withSteam: ServiceTable = {
  ...services,
  steam: {
    metered: {
      useKey: 'steamCubicMetres',
      useColumn: 'cubicMetresPerYear',
      unit: 'm³',
      meter: null,
      region: { pattern: 'England|Wales', of: ({ address }) => address.country, nameOf: (key) => key },
      plausible: { unitRate: [50, 500], standingCharge: [5, 100], use: [20, 500] },
    },
    contractSection: 'steam',
  },
}
const steamPackage = {
  packageId: 'steam-standard',
  type: 'steam',
  name: 'Steam heating',
  description: 'Steam',
  isDefault: true,
  rates: { Wales: { unitRate: '150', standingCharge: '20', vatRate: '0' } },
  setupFee: 0,
}
const file = {
  ...autumnCard,
  packages: [...autumnCard.packages, steamPackage],
  consumption: {
    low: { ...autumnCard.consumption.low, steamCubicMetres: 60 },
    medium: { ...autumnCard.consumption.medium, steamCubicMetres: 90 },
    high: { ...autumnCard.consumption.high, steamCubicMetres: 150 },
  },
  vat: { ...autumnCard.vat, steam: [{ rate: '0' }] },
}
const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, formats: { date: true } })

/** Parses the content of a rate card file as the program does. */
function readCard(content: object, table: ServiceTable = withSteam): RateCard {
  const isValid = ajv.compile<RateCard>(rateCardSchema(table))
  const card: unknown = JSON.parse(JSON.stringify(content))
  assert.ok(isValid(card), ajv.errorsText(isValid.errors))
  return card
}

const inWales = { address: { mpan: null, mprn: null, country: 'Wales' }, region: '_K' }
const term = { contractStartDate: isoDate('2027-01-15'), contractEndDate: isoDate('2028-01-14'), billingDay: 1 }
const household = {
  ...term,
  products: [],
  broadbandStartDate: null,
  tenantIds: ['tenant_01', 'tenant_02'] as const,
  bedrooms: null,
}

test('a rate card with steam is accepted if steam is in the service table, and rejected otherwise', () => {
  assert.deepEqual(rateCardProblems(readCard(file), withSteam), [])
  assert.throws(() => readCard(file, services), /must be equal to one of the allowed values/)
})

test('a rate card with steam gets one error each for missing VAT, a missing band and an invalid region', () => {
  const { steam: _, ...vat } = file.vat
  const rates = { _K: steamPackage.rates.Wales }
  const broken = {
    ...file,
    packages: [...autumnCard.packages, { ...steamPackage, rates }],
    consumption: { ...file.consumption, high: autumnCard.consumption.high },
    vat,
  }
  assert.deepEqual(
    rateCardProblems(readCard(broken), withSteam).map(({ pointer }) => pointer),
    ['/packages/3/rates/_K', '/consumption/high/steamCubicMetres', '/vat/steam'],
  )
})

test('steam is offered in areas with rates for it, even without a meter, and nowhere else', () => {
  const types = (country: string) =>
    offeredPackages(readCard(file), { ...inWales, address: { ...inWales.address, country } }, withSteam).map(
      ({ type }) => String(type),
    )
  assert.deepEqual(types('Wales'), ['broadband', 'steam'])
  assert.deepEqual(types('England'), ['broadband'])
})

test('a year of steam for a household of two is priced at the steam rates and split between the tenants', () => {
  const card = readCard(file)
  const packages = offeredPackages(card, inWales, withSteam).filter(({ packageId }) => packageId === 'steam-standard')
  const price = priceQuote({ ...household, ...inWales, card, packages }, withSteam)
  // 90 m³ × 150p + 365 days × 20p
  assert.equal(price.totalCost, 20_800)
  assert.equal(price.monthlyCost, 1_733)
  assert.equal(price.steamCubicMetresPerYear, 90)
  assert.deepEqual(
    price.shares.map(({ totalCost }) => totalCost),
    [10_400, 10_400],
  )
})

test('the contract of a household with steam has the supplier, rates, terms and ombudsman for steam', () => {
  const card = readCard(file)
  const energy = contractFacts()
  const packages = card.packages.filter(({ type }) => type !== 'broadband')
  const home = { address: { mpan: '1000000000040', mprn: null, country: 'Wales' }, region: '_K' }
  const price = priceQuote({ ...household, ...home, card, packages }, withSteam)
  const operator = {
    ...sampleOperator,
    suppliers: {
      ...sampleOperator.suppliers,
      steam: { name: 'Sample Steam', address: 'Leat Lane', phone: '01632 960204' },
    },
    complaints: { ...sampleOperator.complaints, steamOmbudsman: 'Sample Steam Ombudsman' },
  }
  assert.ok(ajv.validate(operatorFileSchema(withSteam), operator), ajv.errorsText())
  const document = buildContractDocument({
    ...energy,
    property: { ...energy.property, nation: 'Wales' },
    customerId: 'tenant_01',
    price,
    rateCard: card,
    operator,
    services: withSteam,
    sections: { ...contractSections, steam: { name: 'steam', terms: meteredSection } },
  })
  const headings = document.sections.map(({ id }) => id)
  assert.deepEqual(headings.slice(5, 7), ['energy', 'steam'])
  const texts = documentTexts(document)
  for (const text of [
    'Your household takes electricity, gas and steam at your home, and you agree to pay your own share of it.',
    'Supplied by Sample Steam, Leat Lane, 01632 960204',
    'How we calculated the steam price',
    'Rates and assumed usage: Autumn 2026, Wales',
    'Per m³',
    '90 m³',
    '150p',
    'There is no set-up fee for steam.',
    'Sample Steam Ombudsman',
  ])
    assert.ok(texts.includes(text), text)
})

const division = 'england-and-wales'

/**
 * The contract of a random household, with any services, prices, length, start, billing day, rate card and number of
 * tenants.
 */
const contract: fc.Arbitrary<ContractFacts> = fc
  .record({
    wanted: fc.subarray(serviceNames(), { minLength: 1 }),
    tenants: fc.integer({ min: 1, max: 12 }),
    tenant: fc.nat(11),
    startOffset: fc.nat(700),
    months: fc.integer({ min: 1, max: 23 }),
    moreDays: fc.nat(27),
    lateness: fc.integer({ min: -60, max: 500 }),
    billingDay: fc.integer({ min: 1, max: 28 }),
    broadbandOffset: fc.nat(40),
    // At least £1: for a product of a few pence, a tenant's rounded share of VAT can exceed their rounded share of the
    // price.
    monthlyPrice: fc.oneof(fc.constant(0), fc.integer({ min: 100, max: 9_000 })),
    setupPrice: fc.oneof(fc.constant(0), fc.integer({ min: 100, max: 5_000 })),
    fee: fc.oneof(fc.constant(0), fc.integer({ min: 100, max: 3_000 })),
    summer: fc.boolean(),
  })
  .map((given) => {
    const card = withSetupFee(given.summer ? summerCard : autumnCard, 'electricity', given.fee)
    const wanted = given.summer ? given.wanted.filter((type) => type !== 'broadband') : given.wanted
    const types = wanted.length > 0 ? wanted : ['electricity' as const]
    const contractStartDate = addDays(isoDate('2026-12-01'), given.startOffset)
    const term = {
      contractStartDate,
      contractEndDate: addDays(lastDayOfTerm(contractStartDate, given.months), given.moreDays),
      billingDay: given.billingDay,
    }
    const products = [{ ...fibreLine, monthlyPrice: given.monthlyPrice, setupPrice: given.setupPrice }, wifiAddOn]
    const price = priceQuote({
      ...term,
      card,
      address: { mpan: '1000000000040', mprn: '3938424403', country: 'England' },
      region: '_C',
      packages: packagesOfTypes(card, ...types),
      products,
      broadbandStartDate: addDays(contractStartDate, given.broadbandOffset),
      tenantIds: Array.from({ length: given.tenants }, (_, index) => `tenant_${index}` as const),
      bedrooms: null,
    })
    const share = price.shares[given.tenant % given.tenants]
    assert.ok(share)
    const today = addDays(contractStartDate, given.lateness)
    return {
      ...contractFacts({ card, services: types, products }),
      customerId: share.tenantId,
      price,
      broadbandProducts: types.includes('broadband') ? products : [],
      payments: planPayments({ ...term, share, lines: price.lines, today, division, holidays }),
      acceptedAt: new Date(`${today}T10:00:00Z`),
    }
  })

/** The rows that the document must contain, computed from the price and the payment plan alone. */
function rowsOf({ price, payments, customerId }: ContractFacts): string[] {
  const share = price.shares.find(({ tenantId }) => tenantId === customerId)
  assert.ok(share)
  const own = share.lines.map((line, index) => ({ ...line, name: price.lines[index]?.name ?? '' }))
  return contractRows(
    [{ lines: own, total: share }, ...(price.shares.length > 1 ? [{ lines: price.lines, total: price }] : [])],
    payments,
  )
}

test('for any household, the shares, the plan and the document agree to the penny', () => {
  fc.assert(
    fc.property(contract, (facts) => {
      const { price, payments, customerId } = facts
      for (const figure of ['weeklyCost', 'monthlyCost', 'yearlyCost', 'totalCost', 'totalVat', 'setupCost'] as const) {
        const dealt = price.shares.map((share) => share[figure])
        assert.equal(
          dealt.reduce((sum, each) => sum + each, 0),
          price[figure],
          figure,
        )
        assert.ok(Math.max(...dealt) - Math.min(...dealt) <= 1, figure)
      }
      const share = price.shares.find(({ tenantId }) => tenantId === customerId)
      assert.equal(
        payments.reduce((sum, { amount }) => sum + amount, 0),
        share?.totalCost,
      )
      const text = withoutWhiteSpace(documentTexts(buildContractDocument(facts)).join(' '))
      for (const row of rowsOf(facts)) assert.ok(text.includes(row), `the document does not contain ${row}`)
    }),
    { numRuns: isFullSize ? 300 : 100 },
  )
})

test('the HTML and the PDF form of the document contain every row of figures for any household', async () => {
  const renderer = createContractRenderer()
  await fc.assert(
    fc.asyncProperty(contract, async (facts) => {
      const { customerId: contractId, acceptedAt } = facts
      const { html, pdf } = await renderer.render(
        buildContractDocument(facts),
        { contractId, acceptedAt },
        documentFormats,
      )
      assertContains(await extractContractTexts(html, pdf), rowsOf(facts))
    }),
    { numRuns: isFullSize ? 15 : 5, endOnFailure: true },
  )
})
