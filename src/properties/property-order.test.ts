import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { generateSampleProperties } from '../sandbox/samples/sample-properties.ts'
import { orderProperties } from './property-order.ts'

const [example] = generateSampleProperties()
assert.ok(example)

function at(addressLine1: string, addressLine2 = '', uprn = addressLine1) {
  return { ...example, addressLine1, addressLine2, uprn } as typeof example & object
}

const ordered = [
  at('2 Mill Lane'),
  at('10 Mill Lane'),
  at('10a Mill Lane'),
  at('10B Mill Lane'),
  at('12 Mill Lane'),
  at('12-14 Mill Lane'),
  at('Flat 1', '14 Mill Lane'),
  at('Flat 2, 14 Mill Lane'),
  at('Flat 10, 14 Mill Lane'),
  at('Flat A', '16 Mill Lane'),
  at('Ground Floor Flat', '16 Mill Lane'),
  at('0/1', '18 Mill Lane'),
  at('Flat 0/2, 18 Mill Lane'),
  at('Flat 1/1, 18 Mill Lane'),
  at('2/1 18 Mill Lane'),
  at('Flat 3.02', '20 Mill Lane'),
  at('Flat 3.11 20 Mill Lane'),
  at('Flat 12.01', 'Rose Court, 22 Mill Lane'),
  at('25/1 Mill Lane'),
  at('25/2 Mill Lane'),
  at('25/10 Mill Lane'),
  at('27, Mill Lane', '', '27 with a comma'),
  at('27/1 Mill Lane'),
  at('100 Mill Lane'),
  at('1 Station Road'),
  at('Dairy Cottage', 'Mill Lane'),
  at('Rose Cottage', 'Mill Lane'),
  at('Flat 2, Willow House', 'Mill Lane'),
  at('Flat 10', 'Willow House, Mill Lane'),
]

test('properties are grouped by building along each street, ascending, and buildings without a number come last', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(ordered, { minLength: ordered.length }), (shuffled) => {
      assert.deepEqual(orderProperties(shuffled), ordered)
    }),
  )
})

test('properties with the same address are sorted by UPRN', () => {
  const twins = [at('1 Mill Lane', '', '20'), at('1 Mill Lane', '', '10')]
  const uprns = (properties: typeof twins) => orderProperties(properties).map(({ uprn }) => uprn)
  assert.deepEqual(uprns(twins), ['10', '20'])
  assert.deepEqual(uprns(twins.reverse()), ['10', '20'])
})
