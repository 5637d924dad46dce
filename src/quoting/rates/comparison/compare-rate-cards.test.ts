import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoDate } from '../../../platform/kernel/dates.ts'
import { autumnCard, summerCard } from '../../pricing/rate-card.fixture.ts'
import type { RateCard } from '../rate-card.ts'
import { compareRateCards } from './compare-rate-cards.ts'

const today = isoDate('2026-12-01')

function withElectricity(card: RateCard, figures: { unitRate: string; standingCharge: string }): RateCard {
  const packages = card.packages.map((pack) =>
    pack.type === 'electricity' ? { ...pack, rates: { GB: { ...figures, vatRate: '0' } } } : pack,
  )
  return { ...card, id: 'changed-card', packages }
}

test('two cards that differ in their id only have no difference, in figures or costs', () => {
  const { figures, homes, ...cards } = compareRateCards(autumnCard, { ...autumnCard, id: 'same-figures' }, today)
  assert.deepEqual(figures, [])
  assert.deepEqual(cards.after, { quotingToolVersionId: 'same-figures', name: 'Autumn 2026' })
  assert.equal(homes.length, 14 * 6 * 2)
  for (const { before, after, difference } of homes) {
    assert.deepEqual(before, after)
    assert.deepEqual(difference, { yearlyCost: 0, monthlyCost: 0, percent: 0 })
  }
})

test('each figure that differs is named by package, whatever the order of the packages', () => {
  const changed = withElectricity(autumnCard, { unitRate: '27.32', standingCharge: '54.83' })
  const { figures } = compareRateCards(
    autumnCard,
    { ...changed, packages: changed.packages.toReversed(), onSaleTo: '2026-12-31' },
    today,
  )
  assert.deepEqual(figures, [
    { pointer: '/packages/electricity-standard/rates/GB/unitRate', before: '26.32', after: '27.32' },
    { pointer: '/onSaleTo', before: null, after: '2026-12-31' },
  ])
})

test('a penny more for each kWh costs a household without VAT its yearly use in pence', () => {
  // Electricity is VAT-free until April 2027, and at 5 % for 244 of the 365 days from 1 December 2026 on.
  const dearer = withElectricity(autumnCard, { unitRate: '27.32', standingCharge: '54.83' })
  const { homes } = compareRateCards(autumnCard, dearer, today)
  const of = (tenants: number) => homes.find((home) => home.tenants === tenants && !home.hasGas && home.region === '_C')
  const expected = (kWh: number) => Math.round(kWh * (1 + (0.05 * 244) / 365))
  for (const [tenants, kWh] of [
    [1, 1_800],
    [2, 2_500],
    [4, 4_100],
  ] as const) {
    const difference = of(tenants)?.difference?.yearlyCost ?? Number.NaN
    assert.ok(Math.abs(difference - expected(kWh)) <= 1, `${tenants} tenants: ${difference}, not ${expected(kWh)}`)
  }
})

test('a card that is sold only later is compared from its first day of sale, and a region without rates has no cost', () => {
  const [electricity, gas, ...others] = autumnCard.packages
  assert.ok(electricity?.rates?.GB && gas)
  const northEast = { ...electricity, rates: { _F: electricity.rates.GB } }
  const later = { ...autumnCard, id: 'later-card', onSaleFrom: '2027-02-01', packages: [northEast, ...others] }
  const { contractStartDate, homes } = compareRateCards(autumnCard, later, today)
  assert.equal(contractStartDate, '2027-02-01')
  for (const { region, before, after, difference } of homes) {
    assert.ok(before !== null)
    assert.deepEqual([after !== null, difference !== null], [region === '_F', region === '_F'])
  }
})

test('comparing in the other direction turns every difference round', () => {
  const rate = fc.integer({ min: 1, max: 9_999 }).map((hundredths) => (hundredths / 100).toFixed(2))
  const card = fc.record({ unitRate: rate, standingCharge: rate }).map((rates) => withElectricity(summerCard, rates))
  fc.assert(
    fc.property(card, card, (one, other) => {
      const [there, back] = [compareRateCards(one, other, today), compareRateCards(other, one, today)]
      assert.deepEqual(
        back.figures.map(({ pointer, before, after }) => ({ pointer, before: after, after: before })),
        there.figures,
      )
      there.homes.forEach(({ before, after, difference }, index) => {
        assert.deepEqual([back.homes[index]?.before, back.homes[index]?.after], [after, before])
        assert.equal((back.homes[index]?.difference?.yearlyCost ?? 0) + (difference?.yearlyCost ?? 0), 0)
      })
    }),
    { numRuns: 20 },
  )
})

test('the sample homes cover every band and region', () => {
  const sampleHomes = compareRateCards(autumnCard, summerCard, today).homes
  assert.equal(new Set(sampleHomes.map(({ region }) => region)).size, 14)
  assert.deepEqual([...new Set(sampleHomes.map(({ tenants }) => tenants))], [1, 2, 3, 4, 5, 6])
})
