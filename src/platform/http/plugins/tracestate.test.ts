import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isValidTracestate } from './trace-context.ts'

const keyRest = [...'abcdefghijklmnopqrstuvwxyz0123456789_-*/@']
const key = fc
  .tuple(
    fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
    fc.array(fc.constantFrom(...keyRest), { maxLength: 7 }),
  )
  .map(([first, rest]) => first + rest.join(''))
const visible = fc.integer({ min: 0x21, max: 0x7e }).filter((code) => code !== 0x2c && code !== 0x3d)
const text = fc.array(visible, { minLength: 1, maxLength: 6 }).map((codes) => String.fromCharCode(...codes))

test('a list is valid if it has at most 32 distinct, well-formed members and at most 512 characters, whatever its spacing', () => {
  const lists = fc.uniqueArray(fc.tuple(key, text), { minLength: 1, maxLength: 40, selector: ([name]) => name })
  fc.assert(
    fc.property(lists, fc.constantFrom(',', ', ', ' ,\t', ',,'), (members, comma) => {
      const value = members.map(([name, said]) => `${name}=${said}`).join(comma)
      assert.equal(isValidTracestate(value), members.length <= 32 && value.length <= 512)
    }),
  )
})

test('a repeated member makes the list invalid', () => {
  fc.assert(
    fc.property(key, text, text, (name, one, other) => {
      assert.equal(isValidTracestate(`${name}=${one},x0y=1,${name}=${other}`), false)
    }),
  )
})

test('the limits on length and number of members are inclusive', () => {
  const ofLength = (length: number) => `a=${'x'.repeat(200)},b=${'x'.repeat(length - 200 - 5)}`
  assert.equal(ofLength(512).length, 512)
  assert.equal(isValidTracestate(`a=${'x'.repeat(200)},b=${'x'.repeat(200)},c=${'x'.repeat(104)}`), true)
  assert.equal(isValidTracestate(ofLength(430)), true)
  assert.equal(isValidTracestate(`a=${'x'.repeat(200)},b=${'x'.repeat(200)},c=${'x'.repeat(105)}`), false)
  const ofMembers = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=1`).join(',')
  assert.deepEqual([32, 33].map(ofMembers).map(isValidTracestate), [true, false])
})

for (const value of ['', ' ', ',', 'a', 'a=', '=1', 'A=1', 'a b=1', '@a=1', 'a=1=2', 'a=ü', 'a=1;b=2,c', 'a=1\u0000']) {
  test(`an invalid state is rejected: ${JSON.stringify(value)}`, () => {
    assert.equal(isValidTracestate(value), false)
  })
}

for (const value of [
  'congo=t61rcWkgMzE',
  'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
  'fw529a3039@dt=FfFf;1',
  'a=1,,b= 2',
  '1a-_*/=x',
]) {
  test(`a valid state is accepted: ${value}`, () => {
    assert.equal(isValidTracestate(value), true)
  })
}
