import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isContractNumber, newContractNumber } from './contract-number.ts'

const numbers = fc.constant(null).map(() => newContractNumber())

test('a contract number has twelve digits in groups of four, and its check digit is right', () => {
  fc.assert(
    fc.property(numbers, (number) => {
      assert.match(number, /^\d{4}-\d{4}-\d{4}$/)
      assert.ok(isContractNumber(number))
    }),
  )
})

test('a contract number with one wrong digit is recognised', () => {
  fc.assert(
    fc.property(numbers, fc.nat(11), fc.integer({ min: 1, max: 9 }), (number, place, by) => {
      const digits = [...number.replaceAll('-', '')]
      digits[place] = String((Number(digits[place]) + by) % 10)
      const wrong = digits.join('').replace(/(\d{4})(?=\d)/g, '$1-')
      assert.ok(!isContractNumber(wrong), wrong)
    }),
  )
})

test('a contract number with two different neighbours swapped is recognised', () => {
  fc.assert(
    fc.property(numbers, fc.nat(10), (number, place) => {
      const digits = [...number.replaceAll('-', '')]
      const [left = '', right = ''] = digits.slice(place, place + 2)
      fc.pre(left !== right)
      digits.splice(place, 2, right, left)
      assert.ok(!isContractNumber(digits.join('').replace(/(\d{4})(?=\d)/g, '$1-')))
    }),
  )
})

test('two contract numbers in a thousand are never the same', () => {
  assert.equal(new Set(Array.from({ length: 1_000 }, newContractNumber)).size, 1_000)
})
