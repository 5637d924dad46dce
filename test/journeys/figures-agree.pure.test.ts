import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildContractDocument } from '../../src/contracts/build-document.ts'
import type { ContractFacts } from '../../src/contracts/contract-facts.ts'
import { documentFormats } from '../../src/contracts/document-renderer.ts'
import { createContractRenderer } from '../../src/contracts/renderer/contract-renderer.ts'
import { holidays } from '../../src/payments/plan/plan-payments.fixture.ts'
import { planPayments } from '../../src/payments/plan/plan-payments.ts'
import { addDays, isoDate, lastDayOfTerm } from '../../src/platform/kernel/dates.ts'
import { serviceNames } from '../../src/quoting/packages/services.ts'
import { priceQuote } from '../../src/quoting/pricing/price-quote.ts'
import {
  autumnCard,
  fibreLine,
  packagesOfTypes,
  summerCard,
  wifiAddOn,
  withSetupFee,
} from '../../src/quoting/pricing/rate-card.fixture.ts'
import { contractFacts } from '../contracts/contract-facts.fixture.ts'
import { documentTexts } from '../contracts/document-texts.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { assertContains, contractRows, extractContractTexts, withoutWhiteSpace } from './documents.ts'

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
