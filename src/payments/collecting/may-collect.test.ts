import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isoDate } from '../../platform/kernel/dates.ts'
import { parseBankHolidays } from '../../platform/kernel/working-days.ts'
import { ledgerStatuses } from '../ledger/ledger-status.ts'
import { paymentErrorCodes } from '../payment-error.ts'
import { type DueEntry, mayCollect } from './attempts.ts'

const terms = { retryAfterWorkingDays: 3, freeFailures: 1, feePence: 500, vatRate: '0' } as const
const bankHolidays = parseBankHolidays(
  readFileSync(new URL('../../../reference-data/uk-bank-holidays.csv', import.meta.url), 'utf8'),
)
const attemptedAt = new Date('2026-11-20T09:00:00Z')
const entry = (changes: Partial<DueEntry>): DueEntry => ({
  status: 'failed',
  attemptNumber: 1,
  attemptedAt,
  attemptedCard: 'seti_1',
  setupIntentId: 'seti_1',
  lastError: 'insufficient_funds',
  ...changes,
})
const on = (day: string, changes: Partial<DueEntry> = {}, agreed: typeof terms | undefined = terms) =>
  mayCollect(entry(changes), agreed, { today: isoDate(day), division: 'england-and-wales', bankHolidays })

test('a failed payment is tried again on the working day that the terms promise, and not before', () => {
  // 20 November 2026 is a Friday.
  assert.deepEqual(
    ['2026-11-20', '2026-11-23', '2026-11-24', '2026-11-25', '2027-02-01'].map((day) => on(day)),
    [false, false, false, true, true],
  )
})

test('it is not tried again after the second attempt, without terms, or if the bank wants the customer to confirm it', () => {
  assert.equal(on('2027-02-01', { attemptNumber: 2 }), false)
  assert.equal(
    mayCollect(entry({}), undefined, { today: isoDate('2027-02-01'), division: 'scotland', bankHolidays }),
    false,
  )
  assert.equal(on('2027-02-01', { lastError: 'authentication_required' }), false)
})

test('a new card is tried at once, whatever happened before', () => {
  for (const lastError of paymentErrorCodes)
    for (const attemptNumber of [1, 2, 9])
      assert.equal(on('2026-11-20', { setupIntentId: 'seti_2', lastError, attemptNumber }), true)
})

test('what Housebill never asked for is asked for only while it is planned', () => {
  for (const status of ledgerStatuses)
    assert.equal(on('2027-02-01', { status, attemptNumber: 0, attemptedAt: null }), status === 'planned', status)
})
