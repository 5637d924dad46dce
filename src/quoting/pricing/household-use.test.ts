import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Consumption, YearlyUse } from '../rates/rate-card.ts'
import { householdUse } from './household-use.ts'
import { autumnCard } from './rate-card.fixture.ts'

const bands = autumnCard.consumption
const rows = (use: (count: number) => YearlyUse) =>
  Object.fromEntries(Array.from({ length: 12 }, (_, index) => [index + 1, use(index + 1)]))
const occupants = rows((count) => ({ electricityKwh: 1_000 + count, gasKwh: 5_000 + count }))
const withoutGas = {
  low: { electricityKwh: 4_000 },
  medium: { electricityKwh: 5_000 },
  high: { electricityKwh: 6_000 },
}
const occupantsWithoutGas = rows((count) => ({ electricityKwh: 3_000 + count }))
const full: Consumption = { ...bands, occupants, withoutGas: { ...withoutGas, occupants: occupantsWithoutGas } }

function use(consumption: Consumption, tenants: number, bedrooms: number | null = null, hasGas = true) {
  return householdUse(consumption, { tenants, bedrooms, hasGas })
}

test('a card with bands only gives the use of the band, whether or not the home has gas', () => {
  for (const hasGas of [true, false]) {
    assert.deepEqual(use(bands, 3, null, hasGas), { band: 'medium', use: bands.medium, basis: undefined })
  }
})

test('a card with figures by occupants gives those of the number of tenants', () => {
  const expected = { electricityKwh: 1_003, gasKwh: 5_003 }
  const basis = { occupants: 3, withoutGas: false }
  assert.deepEqual(use({ ...bands, occupants }, 3, 6), { band: 'medium', use: expected, basis })
})

test('bedrooms stand for occupants while there are no tenants: a studio counts as one, and more than 12 as 12', () => {
  for (const [bedrooms, count] of [
    [0, 1],
    [5, 5],
    [50, 12],
  ] as const) {
    assert.deepEqual(use({ ...bands, occupants }, 0, bedrooms).basis, { occupants: count, withoutGas: false })
  }
})

test('without tenants and bedrooms, the medium band applies', () => {
  assert.deepEqual(use({ ...bands, occupants }, 0), { band: 'medium', use: bands.medium, basis: undefined })
  const noGas = use(full, 0, null, false)
  assert.deepEqual(noGas.use, { ...bands.medium, electricityKwh: 5_000 })
  assert.deepEqual(noGas.basis, { occupants: null, withoutGas: true })
})

test('a home without gas gets its own figures, also before those by occupants for any home', () => {
  assert.equal(use(full, 2, null, false).use.electricityKwh, 3_002)
  assert.equal(use(full, 2, null, true).use.electricityKwh, 1_002)
  const bandsOnly = use({ ...bands, occupants, withoutGas }, 2, null, false)
  assert.equal(bandsOnly.use.electricityKwh, 5_000)
  assert.deepEqual(bandsOnly.basis, { occupants: null, withoutGas: true })
})

test('every household has a use for every service of the bands, whatever further tables a card has', () => {
  const cards = [bands, { ...bands, occupants }, { ...bands, withoutGas }, full]
  const people = fc.record({ tenants: fc.nat(12), bedrooms: fc.option(fc.nat(50)), hasGas: fc.boolean() })
  fc.assert(
    fc.property(fc.constantFrom(...cards), people, (card, household) => {
      const found = householdUse(card, household)
      assert.deepEqual(Object.keys(found.use).sort(), Object.keys(bands.medium).sort())
      if (household.hasGas) assert.notEqual(found.basis?.withoutGas, true)
    }),
  )
})
