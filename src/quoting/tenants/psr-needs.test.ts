import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, isoDate } from '../../platform/kernel/dates.ts'
import { lastDayOfNeed, psrReviewOn } from './customer.ts'
import type { PsrCategory } from './psr.ts'

const today = isoDate('2026-11-23')
const review = (...categories: PsrCategory[]) => psrReviewOn({ hasPsr: true, categories }, today)

test('the review is the day after the next need ends', () => {
  assert.equal(review({ code: '33', expiryDate: '2026-12-01' }, { code: '32', expiryDate: '2026-11-25' }), '2026-11-26')
  assert.equal(review({ code: '33', expiryDate: '2026-11-23' }), '2026-11-24')
  assert.equal(review({ code: '08' }, { code: '33', expiryDate: '2026-12-01' }), '2026-12-02')
})

test('the need of a family with young children ends the day before the youngest is six', () => {
  assert.equal(lastDayOfNeed({ code: '29', youngestChildDateOfBirth: '2024-03-10' }), '2030-03-09')
  assert.equal(lastDayOfNeed({ code: '29', youngestChildDateOfBirth: '2024-02-29' }), '2030-02-27')
})

test('a need that does not end is never reviewed, needs that have all ended neither, and without needs there is no day', () => {
  assert.equal(review({ code: '08' }), 'infinity')
  assert.equal(review({ code: '08' }, { code: '33', expiryDate: '2026-11-22' }), 'infinity')
  assert.equal(review({ code: '33', expiryDate: '2026-11-22' }), '-infinity')
  assert.equal(psrReviewOn({ hasPsr: false }, today), null)
  assert.equal(psrReviewOn(null, today), null)
})

test('reviewing on each review day ends after at most one review for each need, and never goes back', () => {
  const need = fc.record({
    code: fc.constant('33'),
    expiryDate: fc.integer({ min: -30, max: 3_000 }).map((days): string => addDays(today, days)),
  })
  fc.assert(
    fc.property(fc.array(need, { minLength: 1, maxLength: 10 }), (categories) => {
      let day = today
      for (let reviews = 0; reviews <= categories.length; reviews++) {
        const next = psrReviewOn({ hasPsr: true, categories }, day)
        if (next === '-infinity') return
        assert.ok(next !== null && next !== 'infinity' && next > day)
        day = next
      }
      assert.fail('more reviews than needs')
    }),
  )
})
