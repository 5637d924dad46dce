import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { implausibleFigures } from './plausibility.ts'
import type { RateCard } from './rate-card.ts'
import { rateCardProblems } from './rate-card-rules.ts'

const folder = new URL('../../../reference-data/rate-cards/', import.meta.url)
const read = (name: string): RateCard => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
const sample = read('sample-consumption-by-occupants.json')

/** The pointers of the warnings about the sample card with changed packages or other members. */
function warnings(changes: Partial<RateCard>): string[] {
  return implausibleFigures({ ...sample, ...changes }).map(({ pointer }) => pointer)
}

function withRate(change: object): Partial<RateCard> {
  const rates = { GB: { unitRate: '26.32', standingCharge: '54.83', vatRate: '0', ...change } }
  return { packages: sample.packages.map((each, index) => (index === 0 ? { ...each, rates } : each)) }
}

test('the cards in reference-data/ have no problems, no figure that looks wrong and no name that only fits a sandbox', () => {
  const cards = readdirSync(folder).map(read)
  assert.ok(cards.length >= 3)
  for (const card of cards) {
    assert.deepEqual([rateCardProblems(card), implausibleFigures(card)], [[], []], card.id)
    assert.doesNotMatch(card.name, /sandbox|default/i, 'a name that is true wherever the card is published')
  }
})

test('a rate in pounds, a standing charge without its point and a VAT rate that no law knows look wrong', () => {
  assert.deepEqual(warnings(withRate({ unitRate: '0.2632' })), ['/packages/0/rates/GB/unitRate'])
  assert.deepEqual(warnings(withRate({ standingCharge: '5483' })), ['/packages/0/rates/GB/standingCharge'])
  assert.deepEqual(warnings(withRate({ vatRate: '0.175' })), ['/packages/0/rates/GB/vatRate'])
  assert.deepEqual(warnings({ vat: { ...sample.vat, gas: [{ rate: '0.5' }] } }), ['/vat/gas/0/rate'])
})

test('two rates are checked like one, and only electricity can have them', () => {
  const twoRate = { dayRate: '31.5', nightRate: '14.2', nightShare: '0.42', standingCharge: '54.83' }
  assert.deepEqual(warnings(withRate({ twoRate })), [])
  assert.deepEqual(warnings(withRate({ twoRate: { ...twoRate, nightRate: '0.14', standingCharge: '5483' } })), [
    '/packages/0/rates/GB/twoRate/nightRate',
    '/packages/0/rates/GB/twoRate/standingCharge',
  ])
  const packages = sample.packages.map(({ rates, ...each }) =>
    rates?.GB === undefined ? each : { ...each, rates: { GB: { ...rates.GB, twoRate } } },
  )
  const problems = rateCardProblems({ ...sample, packages }).map(({ pointer }) => pointer)
  assert.deepEqual(problems, ['/packages/1/rates/GB/twoRate'])
})

test('a use with a digit too many, and a larger household that uses less, look wrong in every table', () => {
  const { consumption } = sample
  const { occupants, withoutGas } = consumption
  assert.ok(occupants && withoutGas)
  const high = { electricityKwh: 41_000, gasKwh: 8_000 }
  assert.deepEqual(warnings({ consumption: { ...consumption, high } }), [
    '/consumption/high/electricityKwh',
    '/consumption/high/gasKwh',
  ])
  const fewer = { ...occupants, '5': { electricityKwh: 2_000, gasKwh: 13_500 } }
  assert.deepEqual(warnings({ consumption: { ...consumption, occupants: fewer } }), [
    '/consumption/occupants/5/electricityKwh',
  ])
  const low = { electricityKwh: 90 }
  assert.deepEqual(warnings({ consumption: { ...consumption, withoutGas: { ...withoutGas, low } } }), [
    '/consumption/withoutGas/low/electricityKwh',
  ])
})

test('a name or text that a terminal or a document would show as something else makes a card unusable', () => {
  const [first, ...others] = sample.packages
  assert.ok(first)
  const named = { ...first, name: `${first.name}\u202e`, description: 'Gas\nand more' }
  const problems = rateCardProblems({ ...sample, name: '\u200b', source: 'a\u001b[2J', packages: [named, ...others] })
  assert.deepEqual(
    problems.map(({ pointer }) => pointer),
    ['/name', '/packages/0/name', '/source', '/packages/0/description'],
  )
})

test('a use that only some rows of a further table give makes a card unusable', () => {
  const { consumption } = sample
  const occupants = { ...consumption.occupants, '7': { electricityKwh: 4_500 } }
  const withoutGas = { low: {}, medium: { electricityKwh: 5_000 }, high: { electricityKwh: 6_000 } }
  const problems = rateCardProblems({ ...sample, consumption: { ...consumption, occupants, withoutGas } })
  assert.deepEqual(
    problems.map(({ pointer }) => pointer),
    ['/consumption/occupants/7/gasKwh', '/consumption/withoutGas/low/electricityKwh'],
  )
})
