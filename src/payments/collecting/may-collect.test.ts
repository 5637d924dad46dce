import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoDate } from '../../platform/kernel/dates.ts'
import { ledgerStatuses } from '../ledger/ledger-status.ts'
import { paymentErrorCodes } from '../payment-error.ts'
import { type DueEntry, mayCollect } from './attempts.ts'

const retryOn = isoDate('2026-11-25')
const on = (day: string, changes: Partial<DueEntry> = {}) =>
  mayCollect(
    {
      status: 'failed',
      attemptedCard: 'seti_1',
      setupIntentId: 'seti_1',
      retryOn,
      lastError: 'insufficient_funds',
      ...changes,
    },
    isoDate(day),
  )

test('a failed payment is tried again from the day that the terms promise, and not before', () => {
  assert.deepEqual(
    ['2026-11-20', '2026-11-24', '2026-11-25', '2027-02-01'].map((day) => on(day)),
    [false, false, true, true],
  )
})

test('it is not tried again without such a day, or if the bank wants the customer to confirm it', () => {
  assert.equal(on('2027-02-01', { retryOn: null }), false)
  assert.equal(on('2027-02-01', { lastError: 'authentication_required' }), false)
})

test('a new card is tried at once, whatever happened before', () => {
  for (const lastError of paymentErrorCodes)
    for (const day of [retryOn, null])
      assert.equal(on('2026-11-20', { setupIntentId: 'seti_2', lastError, retryOn: day }), true)
})

test('what Housebill never asked for is asked for only while it is planned', () => {
  for (const status of ledgerStatuses)
    assert.equal(on('2027-02-01', { status, attemptedCard: null, retryOn: null }), status === 'planned', status)
})
