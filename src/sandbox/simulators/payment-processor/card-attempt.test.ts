import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fingerprintOf, readCardAttempt } from './card-attempt.ts'
import { parseFormBody } from './protocol/parameters.ts'
import { StripeFault } from './protocol/stripe-fault.ts'

const attempt = (expMonth: number, expYear: number | string, now: Date) =>
  readCardAttempt(
    parseFormBody(
      `payment_method_data[type]=card&payment_method_data[card][number]=4242424242424242` +
        `&payment_method_data[card][exp_month]=${expMonth}&payment_method_data[card][exp_year]=${expYear}`,
    ),
    now,
  )

test('a card is valid until the end of its expiry month', () => {
  const months = fc.record({ year: fc.integer({ min: 2026, max: 2049 }), month: fc.integer({ min: 1, max: 12 }) })
  fc.assert(
    fc.property(months, months, fc.integer({ min: 1, max: 28 }), (expiry, today, day) => {
      const now = new Date(Date.UTC(today.year, today.month - 1, day))
      const expired = expiry.year * 12 + expiry.month < today.year * 12 + today.month
      if (!expired) {
        assert.deepEqual(attempt(expiry.month, expiry.year, now).card, {
          brand: 'visa',
          last4: '4242',
          exp_month: expiry.month,
          exp_year: expiry.year,
          fingerprint: fingerprintOf('4242424242424242'),
        })
        return
      }
      assert.throws(
        () => attempt(expiry.month, expiry.year, now),
        (error) => error instanceof StripeFault && /^invalid_expiry_(month|year)$/.test(error.error.code ?? ''),
      )
    }),
  )
})

test('a two-digit expiry year means a year of this century', () => {
  assert.equal(attempt(1, '31', new Date('2026-11-20')).card?.exp_year, 2031)
})
