import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findCardByName, findCardByNumber, paymentMethodNames, testCards } from '../../../payments/test-cards.ts'
import { cardDigits, passesLuhn } from './card-attempt.ts'

const payload = fc.stringMatching(/^\d{11,18}$/)

function withCheckDigit(digits: string): string {
  const check = Array.from('0123456789').find((digit) => passesLuhn(digits + digit))
  return digits + check
}

test('every number has exactly one valid check digit', () => {
  fc.assert(
    fc.property(payload, (digits) => {
      assert.equal(Array.from('0123456789').filter((digit) => passesLuhn(digits + digit)).length, 1)
    }),
  )
})

test('a valid number becomes invalid if one digit is changed', () => {
  fc.assert(
    fc.property(payload.map(withCheckDigit), fc.nat(), fc.integer({ min: 1, max: 9 }), (number, at, by) => {
      const place = at % number.length
      const changed = (Number(number[place]) + by) % 10
      assert.equal(passesLuhn(number.slice(0, place) + changed + number.slice(place + 1)), false)
    }),
  )
})

test('a typed number may contain spaces and hyphens, but no other characters', () => {
  assert.equal(cardDigits(' 4242 4242-4242 4242 '), '4242424242424242')
  assert.equal(cardDigits('4242 4242 4242 424x'), undefined)
  assert.equal(cardDigits('42424242424'), undefined)
})

test('every test card has a valid, unique number and unique names, and can be found by each of them', () => {
  assert.equal(new Set(testCards.map((card) => card.number)).size, testCards.length)
  assert.equal(new Set(paymentMethodNames).size, paymentMethodNames.length)
  for (const card of testCards) {
    assert.ok(passesLuhn(card.number), card.names[0])
    assert.equal(findCardByNumber(card.number), card)
    for (const name of card.names) assert.equal(findCardByName(name), card)
  }
})
