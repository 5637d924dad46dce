import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoDate } from '../../platform/kernel/dates.ts'
import type { RegionalRate } from '../rates/rate-card.ts'
import { meteredLine } from './priced-lines.ts'
import { autumnCard } from './rate-card.fixture.ts'

// The expected figures were calculated by hand. Comments show the calculations.

const electricity = { unitRate: '26.32', standingCharge: '54.83', vatRate: '0' }
const gas = { unitRate: '7.97', standingCharge: '29.68', vatRate: '0.05' }
const londonElectricity = { unitRate: '26.35', standingCharge: '44.78', vatRate: '0.05' }
const londonGas = { unitRate: '7.50', standingCharge: '29.52', vatRate: '0.05' }

function line(
  type: 'electricity' | 'gas',
  rate: RegionalRate,
  kwhPerYear: number,
  [from, to, billingDay]: [string, string, number],
  setupFee = 0,
) {
  return meteredLine({
    meteredPackage: {
      packageId: `${type}-standard`,
      type,
      name: 'Name',
      description: 'Text',
      isDefault: true,
      setupFee,
    },
    rate,
    usePerYear: kwhPerYear,
    vat: autumnCard.vat,
    term: { contractStartDate: isoDate(from), contractEndDate: isoDate(to), billingDay },
  })
}

test("London's price cap over 365 days and twelve months matches the published figures to the penny", () => {
  // 2,500 × 26.35 + 365 × 44.78 = 82,219.70; × 0.05 ÷ 1.05 = 3,915.22 VAT; ÷ 12 = 6,851.64; ÷ 52 = 1,581.15
  const year: [string, string, number] = ['2028-04-01', '2029-03-31', 1]
  const forElectricity = line('electricity', londonElectricity, 2_500, year)
  assert.equal(forElectricity.totalCost, 82_220)
  assert.equal(forElectricity.totalVat, 3_915)
  assert.equal(forElectricity.totalNet, 78_305)
  assert.equal(forElectricity.monthlyCost, 6_852)
  assert.equal(forElectricity.yearlyCost, 82_220)
  assert.equal(forElectricity.weeklyCost, 1_581)
  // 9,500 × 7.50 + 365 × 29.52 = 82,024.80; VAT 3,905.94; ÷ 12 = 6,835.40; ÷ 52 = 1,577.40
  const forGas = line('gas', londonGas, 9_500, year)
  assert.equal(forGas.totalCost, 82_025)
  assert.equal(forGas.totalVat, 3_906)
  assert.equal(forGas.totalNet, 78_119)
  assert.equal(forGas.monthlyCost, 6_835)
  assert.equal(forGas.yearlyCost, 82_025)
  assert.equal(forGas.weeklyCost, 1_577)
})

test("with London's price cap, 365 days that include a leap day count as a day less than twelve months", () => {
  // The same 365 days' cost over 11 30/31 months: 82,219.70 × 31 ÷ 371 = 6,870.11 and 82,024.80 × 31 ÷ 371 = 6,853.82
  const days365: [string, string, number] = ['2027-04-01', '2028-03-30', 1]
  const forElectricity = line('electricity', londonElectricity, 2_500, days365)
  assert.equal(forElectricity.totalCost, 82_220)
  assert.equal(forElectricity.monthlyCost, 6_870)
  assert.equal(forElectricity.yearlyCost, 82_441)
  const forGas = line('gas', londonGas, 9_500, days365)
  assert.equal(forGas.totalCost, 82_025)
  assert.equal(forGas.monthlyCost, 6_854)
  assert.equal(forGas.yearlyCost, 82_246)
})

test('if VAT changes during the contract, each day is charged at its own VAT rate and the rates are listed', () => {
  // Net per day: 1,800 ÷ 365 × 26.32 + 54.83 = 184.6273; 17 days at 0 % and 14 at 5 %: 31.7 × 184.6273 = 5,852.68
  // VAT 0.7 × 184.6273 = 129.24; months 17/31 + 14/30 = 472/465, so 5,852.68 × 465 ÷ 472 = 5,765.89
  const priced = line('electricity', electricity, 1_800, ['2027-03-15', '2027-04-14', 1])
  assert.deepEqual(priced.vatRates, [
    { rate: '0', from: '2027-03-15', to: '2027-03-31' },
    { rate: '0.05', from: '2027-04-01', to: '2027-04-14' },
  ])
  assert.equal(priced.totalCost, 5_853)
  assert.equal(priced.totalVat, 129)
  assert.equal(priced.totalNet, 5_724)
  assert.equal(priced.monthlyCost, 5_766)
  assert.equal(priced.yearlyCost, 69_191)
  assert.equal(priced.weeklyCost, 1_331)
})

test('731 days are charged for a contract of twenty-four months that includes a leap day', () => {
  // 731 days: 63 without VAT on electricity, 668 with. 235.10397 × (731 + 33.4) = 179,713.48; VAT × 33.4 = 7,852.47
  const term: [string, string, number] = ['2027-01-28', '2029-01-27', 28]
  const forElectricity = line('electricity', electricity, 2_500, term)
  assert.equal(forElectricity.totalCost, 179_713)
  assert.equal(forElectricity.totalVat, 7_852)
  assert.equal(forElectricity.monthlyCost, 7_488)
  assert.equal(forElectricity.yearlyCost, 89_857)
  // 731 × (9,500 ÷ 365 × 7.97 + 29.68) = 173,333.52; ÷ 21 = 8,253.98 VAT; ÷ 24 = 7,222.23
  const forGas = line('gas', gas, 9_500, term)
  assert.equal(forGas.totalCost, 173_334)
  assert.equal(forGas.totalVat, 8_254)
  assert.equal(forGas.monthlyCost, 7_222)
})

test('a set-up fee and its VAT are part of the total, but not of the weekly, monthly and yearly costs', () => {
  const without = line('gas', gas, 9_500, ['2027-01-01', '2027-12-31', 1])
  const priced = line('gas', gas, 9_500, ['2027-01-01', '2027-12-31', 1], 250)
  // A sixth of 250 is 41.67.
  assert.equal(priced.setupCost, 250)
  assert.equal(priced.setupVat, 42)
  assert.equal(priced.setupNet, 208)
  assert.equal(priced.setupVatRate, '0.2')
  assert.equal(priced.totalCost - without.totalCost, 250)
  assert.equal(priced.totalVat - without.totalVat, 42)
  assert.equal(priced.monthlyCost, without.monthlyCost)
  assert.equal(priced.weeklyCost, without.weeklyCost)
  assert.equal(priced.yearlyCost, without.yearlyCost)
})

const twoRate = { dayRate: '31.5', nightRate: '14.25', nightShare: '0.4', standingCharge: '50' }
const year: [string, string, number] = ['2028-04-01', '2029-03-31', 1]

test('with two rates, the share of the use that is at night is charged at the night rate', () => {
  // 2,500 × (0.6 × 31.5 + 0.4 × 14.25) + 365 × 50 = 2,500 × 24.6 + 18,250 = 79,750
  const priced = line('electricity', { ...londonElectricity, standingCharge: '50', twoRate }, 2_500, year)
  assert.equal(priced.totalCost, 79_750)
  assert.equal(priced.registers, 'two_rate')
  assert.equal(line('electricity', londonElectricity, 2_500, year).registers, undefined)
})

test('a price at two rates is that of one rate if both are equal, lies between day and night alone, and falls as nights grow', () => {
  const rate = fc.integer({ min: 1, max: 8_000 }).map((hundredths) => String(hundredths / 100))
  const share = fc.integer({ min: 0, max: 10_000 }).map((each) => each / 10_000)
  const costAt = (dayRate: string, nightRate: string, nightShare: number, use: number) => {
    const rates = { dayRate, nightRate, nightShare: String(nightShare), standingCharge: '50' }
    return line('electricity', { ...londonElectricity, standingCharge: '50', twoRate: rates }, use, year).totalCost
  }
  const single = (unitRate: string, use: number) =>
    line('electricity', { ...londonElectricity, unitRate, standingCharge: '50' }, use, year).totalCost
  fc.assert(
    fc.property(rate, rate, share, share, fc.nat(20_000), (one, other, first, second, use) => {
      assert.equal(costAt(one, one, first, use), single(one, use))
      const [night = '', day = ''] = [one, other].sort((a, b) => Number(a) - Number(b))
      assert.deepEqual([costAt(day, night, 0, use), costAt(day, night, 1, use)], [single(day, use), single(night, use)])
      const [more = 0, fewer = 0] = [first, second].sort((a, b) => b - a).map((each) => costAt(day, night, each, use))
      assert.ok(single(night, use) <= more && more <= fewer && fewer <= single(day, use))
    }),
  )
})
