import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { addDays, isoDate, lastDayOfTerm } from '../../src/platform/kernel/dates.ts'
import type { Property } from '../../src/properties/property.ts'
import { generateSampleProperties } from '../../src/sandbox/samples/sample-properties.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { connectPartner } from '../support/client.ts'
import { addBroadband, addTenants, attachCard, finalise, sampleTenants } from '../support/household.ts'
import { testTime } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { movableClock, startTestService } from '../support/service.ts'
import { assertContains, contractRows, readContracts, type ShownCost, type ShownPayment } from './documents.ts'

// Bills start on the 9th here, so that no billing month is a calendar month.
const service = await startTestService({ BILLING_DAY: '9' }, { clock: movableClock(testTime) })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

/** Properties in England, Wales and Scotland that have both meters, one or none, and for which every upstream works. */
const homes = generateSampleProperties().filter(
  ({ specialCase }) =>
    specialCase === null || /^(no-gas|no-electricity|no-meters|idno-meter|scotland)$/.test(specialCase),
)

interface Household {
  home: Property
  services: string[]
  products: string[]
  tenants: number
  accepting: number
  quote: Record<string, unknown>
}

const household: fc.Arbitrary<Household> = fc
  .record({
    home: fc.constantFrom(...homes),
    wanted: fc.subarray(['electricity', 'gas', 'broadband'], { minLength: 1 }),
    line: fc.constantFrom('fibre-67', 'fibre-150', 'fibre-500'),
    addOns: fc.subarray(['wifi-whole-home', 'static-ip']),
    tenants: fc.integer({ min: 1, max: 12 }),
    accepting: fc.nat(11),
    startOffset: fc.nat(300),
    months: fc.integer({ min: 1, max: 23 }),
    moreDays: fc.nat(27),
    quotingToolVersionId: fc.constantFrom('price-cap-2026-q3-regional', 'price-cap-2026-q4-gb-average'),
  })
  .map(({ home, wanted, line, addOns, tenants, accepting, startOffset, months, moreDays, quotingToolVersionId }) => {
    const possible = wanted.filter(
      (type) => !((type === 'gas' && home.mprn === null) || (type === 'electricity' && home.mpan === null)),
    )
    const services = possible.length > 0 ? possible : ['broadband']
    const contractStartDate = addDays(isoDate('2026-12-02'), startOffset)
    const contractEndDate = addDays(lastDayOfTerm(contractStartDate, months), moreDays)
    return {
      home,
      services,
      products: services.includes('broadband') ? [line, ...addOns] : [],
      tenants,
      accepting: accepting % tenants,
      quote: { contractStartDate, contractEndDate, quotingToolVersionId },
    }
  })

const figures = [
  'weeklyCost',
  'monthlyCost',
  'yearlyCost',
  'totalCost',
  'setupCost',
  'totalNet',
  'totalVat',
  'setupNet',
  'setupVat',
] as const

function assertSums(whole: ShownCost, parts: readonly ShownCost[]): void {
  for (const figure of figures) {
    const sum = parts.reduce((total, part) => total + part[figure], 0)
    assert.equal(sum, whole[figure], figure)
  }
}

test('for any household, total cost, customers, schedules and both forms of the contract agree to the penny', async () => {
  const check = async ({ home, services, products, tenants, accepting, quote }: Household) => {
    const { addressUid } = home
    const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid, packages: services, ...quote }))
    const ids = await addTenants(partner, quoteId, sampleTenants(tenants))
    if (products.length > 0) await addBroadband(partner, quoteId, products)
    const whole = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
    assertSums(whole, whole.lines)
    assertSums(whole, whole.costBreakdown)
    assert.equal(whole.QuotePricesUpdated, false)

    const plans: ShownPayment[][] = []
    const owns: (ShownCost & { lines: ShownCost[] })[] = []
    for (const [index, id] of ids.entries()) {
      const own = succeeded(await partner.get(`/Customers/${id}/total-cost`))
      const lines = own.packages.flatMap((each) => each.lines)
      owns.push({ ...own, lines })
      assertSums(own, own.packages)
      assertSums(own, lines)
      for (const figure of figures) assert.equal(own[figure], whole.costBreakdown[index]?.[figure], figure)
      succeeded(await finalise(partner, id, { supplyDuringCancellation: true }))
      const schedule = succeeded(await partner.get(`/Customers/${id}/payment-schedules`))
      plans.push(schedule.paymentSchedule.payments)
      assert.deepEqual([schedule.monthlyAmount, schedule.setupAmount], [own.monthlyCost, own.setupCost])
      const amounts: number[] = schedule.paymentSchedule.payments.map(({ amount }: ShownPayment) => amount)
      assert.ok(amounts.every((amount) => amount >= 0))
      assert.equal(
        amounts.reduce((sum, amount) => sum + amount, 0),
        own.totalCost,
      )
    }

    const id = ids[accepting] ?? ''
    await attachCard(partner, id)
    succeeded(await partner.post(`/Customers/${id}/accept-terms`))
    const own = owns[accepting]
    assert.ok(own)
    const parties = [
      { lines: own.lines, total: own },
      ...(ids.length > 1 ? [{ lines: whole.lines, total: whole }] : []),
    ]
    assertContains(await readContracts(partner, id), contractRows(parties, plans[accepting] ?? []))
  }
  await fc.assert(fc.asyncProperty(household, check), { numRuns: isFullSize ? 20 : 8, endOnFailure: true })
})
