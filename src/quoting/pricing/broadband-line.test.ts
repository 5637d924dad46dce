import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from '../../platform/kernel/dates.ts'
import type { BroadbandProduct } from '../packages/package.ts'
import { broadbandLines } from './priced-lines.ts'
import { autumnCard, fibreLine, wifiAddOn } from './rate-card.fixture.ts'

// The expected figures were calculated by hand. Comments show the calculations.

interface Given {
  products?: BroadbandProduct[]
  startsOn?: string
  setupFee?: number
  contract?: [string, string]
  vat?: typeof autumnCard.vat
}

function lines({ products = [fibreLine], startsOn, setupFee = 0, contract, vat = autumnCard.vat }: Given) {
  const [from, to] = contract ?? ['2027-01-15', '2028-01-14']
  return broadbandLines({
    broadbandPackage: {
      packageId: 'broadband-standard',
      type: 'broadband',
      name: 'Broadband',
      description: 'Text',
      isDefault: true,
      setupFee,
    },
    products,
    broadbandStartDate: startsOn === undefined ? null : isoDate(startsOn),
    vat,
    term: { contractStartDate: isoDate(from), contractEndDate: isoDate(to), billingDay: 1 },
  })
}

test('a product that starts with the contract costs its price per month and twelve times that per year', () => {
  const [line, ...others] = lines({})
  assert.deepEqual(others, [])
  assert.deepEqual(line, {
    packageId: 'broadband-standard',
    productId: 'fibre-150',
    type: 'broadband',
    name: 'Fibre 150',
    startDate: '2027-01-15',
    endDate: '2028-01-14',
    vatRates: [{ rate: '0.2', from: '2027-01-15', to: '2028-01-14' }],
    setupVatRate: '0.2',
    weeklyCost: 692, // 36,000 ÷ 52 = 692.31
    monthlyCost: 3_000,
    yearlyCost: 36_000,
    totalCost: 37_000, // 12 × 3,000, plus 1,000 for set-up
    totalVat: 6_167, // 6,000 for the months, plus 166.67 for set-up
    totalNet: 30_833,
    setupCost: 1_000,
    setupVat: 167,
    setupNet: 833,
  })
})

test('a product that starts later is charged from its own first day', () => {
  // 9 of 28 days, 10 months and 14 of 31 days are 9,351 ÷ 868 months; × 3,000 = 32,319.12, of which a sixth is VAT:
  // 5,386.52
  const [line] = lines({ startsOn: '2027-02-20' })
  assert.equal(line?.startDate, '2027-02-20')
  assert.deepEqual(line?.vatRates, [{ rate: '0.2', from: '2027-02-20', to: '2028-01-14' }])
  assert.equal(line?.totalCost, 33_319)
  assert.equal(line?.totalVat, 5_554) // 5,387 + 167
  assert.equal(line?.monthlyCost, 3_000)
  assert.equal(line?.yearlyCost, 36_000)
})

test('a product that starts after the contract ends costs only its set-up fee', () => {
  const [line] = lines({ startsOn: '2028-01-15' })
  assert.equal(line?.totalCost, 1_000)
  assert.equal(line?.totalVat, 167)
  assert.deepEqual(line?.vatRates, [])
  const [lastDay] = lines({ startsOn: '2028-01-14' })
  assert.equal(lastDay?.totalCost, 1_097) // 3,000 ÷ 31 = 96.77
})

test('a product with an install date before the contract starts is charged from the contract start', () => {
  assert.deepEqual(lines({ startsOn: '2027-01-02' }), lines({}))
})

test('priced products list the line first, then add-ons in the order they were added', () => {
  const extra: BroadbandProduct = { ...wifiAddOn, productId: 'static-ip', name: 'Static IP', monthlyPrice: 500 }
  const priced = lines({ products: [extra, wifiAddOn, fibreLine] })
  assert.deepEqual(
    priced.map(({ productId }) => productId),
    ['fibre-150', 'static-ip', 'whole-home-wifi'],
  )
  assert.equal(priced[2]?.weeklyCost, 185) // 9,600 ÷ 52 = 184.62
  assert.equal(priced[2]?.setupCost, 0)
})

test("the package's set-up fee is added only to the first line if there are products", () => {
  const priced = lines({ products: [wifiAddOn, fibreLine], setupFee: 200 })
  assert.equal(priced[0]?.setupCost, 1_200)
  assert.equal(priced[0]?.setupVat, 200)
  assert.equal(priced[1]?.setupCost, 0)
})

test('a broadband package without a main line has no line and charges no set-up fee, whatever add-ons it has', () => {
  for (const products of [[], [wifiAddOn]]) assert.deepEqual(lines({ products, setupFee: 250 }), [])
})

test('when the VAT rate changes during the contract, the price stays the same, and each rate applies to the VAT of its months', () => {
  const vat = { ...autumnCard.vat, broadband: [{ rate: '0.2' }, { from: '2027-04-01', rate: '0.1' }] }
  const [line] = lines({
    products: [{ ...fibreLine, setupPrice: 0 }],
    contract: ['2027-03-01', '2027-04-30'],
    vat,
  })
  assert.equal(line?.totalCost, 6_000)
  assert.equal(line?.totalVat, 773) // 3,000 ÷ 6 + 3,000 ÷ 11 = 772.73
  assert.equal(line?.totalNet, 5_227)
})

test('VAT on set-up is charged at the rate in force when the contract starts, even if broadband starts later', () => {
  const vat = { ...autumnCard.vat, fees: [{ rate: '0.2' }, { from: '2027-02-01', rate: '0.25' }] }
  const [line] = lines({ startsOn: '2027-02-20', vat })
  assert.equal(line?.setupVatRate, '0.2')
  assert.equal(line?.setupVat, 167)
})
