import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newContractNumber } from './contract-number.ts'

const elevenDigits = fc.array(fc.nat(9), { minLength: 11, maxLength: 11 })

/** The contract number that begins with these digits, as digits. */
function numbered(digits: readonly number[]): number[] {
  return [...newContractNumber(digits.join('')).replaceAll('-', '')].map(Number)
}

/** Whether the last digit is the check digit of the others. */
function isRight(number: readonly number[]): boolean {
  return numbered(number.slice(0, 11)).at(-1) === number.at(-1)
}

test('a contract number has twelve digits in groups of four', () => {
  assert.match(newContractNumber(), /^\d{4}-\d{4}-\d{4}$/)
})

test('the check digit is the one that Damm gives for 572', () => {
  assert.equal(newContractNumber('00000000572'), '0000-0000-5724')
})

test('a contract number with one wrong digit is recognised', () => {
  fc.assert(
    fc.property(elevenDigits, fc.nat(11), fc.integer({ min: 1, max: 9 }), (digits, index, by) => {
      const number = numbered(digits)
      assert.ok(isRight(number))
      assert.ok(!isRight(number.map((digit, at) => (at === index ? (digit + by) % 10 : digit))))
    }),
  )
})

test('a contract number with two different neighbours swapped is recognised', () => {
  fc.assert(
    fc.property(elevenDigits, fc.nat(10), (digits, index) => {
      const number = numbered(digits)
      const [left = 0, right = 0] = number.slice(index, index + 2)
      fc.pre(left !== right)
      assert.ok(!isRight(number.with(index, right).with(index + 1, left)))
    }),
  )
})

test('two contract numbers in a thousand are never the same', () => {
  assert.equal(new Set(Array.from({ length: 1_000 }, () => newContractNumber())).size, 1_000)
})
