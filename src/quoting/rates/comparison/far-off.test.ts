import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from '../../../platform/kernel/dates.ts'
import { autumnCard } from '../../pricing/rate-card.fixture.ts'
import type { RateCard } from '../rate-card.ts'
import { compareRateCards, farOff } from './compare-rate-cards.ts'

const today = isoDate('2026-12-01')
const off = (after: RateCard) => farOff(compareRateCards(autumnCard, after, today))

function withElectricity(changes: object, unitRate = '26.32'): RateCard {
  const rates = { GB: { unitRate, standingCharge: '54.83', vatRate: '0' } }
  const packages = autumnCard.packages.map((pack) =>
    pack.type === 'electricity' ? { ...pack, rates, ...changes } : pack,
  )
  return { ...autumnCard, packages }
}

test('a figure that is 30 % off is not far off, and one that is further off is, up or down', () => {
  // 26.32 × 1.3 is 34.216, and × 0.7 is 18.424.
  for (const unitRate of ['34.216', '18.424']) assert.deepEqual(off(withElectricity({}, unitRate)), [])
  for (const unitRate of ['34.2161', '18.4239']) {
    const [first] = off(withElectricity({}, unitRate))
    const pointer = '/packages/electricity-standard/rates/GB/unitRate'
    assert.deepEqual(first, { pointer, detail: `${unitRate} instead of 26.32` })
  }
})

test('a fee that was 0 is far off; a VAT rate, a name and a day are not', () => {
  const pointer = '/packages/electricity-standard/setupFee'
  assert.deepEqual(off(withElectricity({ setupFee: 1 })), [{ pointer, detail: '1 instead of 0' }])
  const rates = { GB: { unitRate: '26.32', standingCharge: '54.83', vatRate: '0.05' } }
  assert.deepEqual(off({ ...withElectricity({ rates }), name: 'Winter', onSaleFrom: '2099-01-01' }), [])
})

test('prices under another package id, and homes that are offered no energy any more, are found by the sample homes', () => {
  const [renamed, ...more] = off(withElectricity({ packageId: 'electricity-new' }, '60'))
  assert.deepEqual([renamed?.pointer, more], ['/packages', []])
  assert.match(renamed?.detail ?? '', /^\d+ of 168 sample homes pay up to \d+ % more or less$/)
  const packages = autumnCard.packages.filter(({ type }) => type !== 'electricity')
  assert.deepEqual(
    off({ ...autumnCard, packages }).map(({ detail }) => detail),
    ['84 of 168 sample homes pay up to 51 % more or less', '84 of 168 sample homes are offered no energy any more'],
  )
})
