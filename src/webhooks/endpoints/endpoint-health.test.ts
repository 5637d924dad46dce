import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FailureStreak, hasFailedTooLong, streakAfterFailure } from './endpoint-health.ts'

const day = 86_400_000
const start = Date.UTC(2026, 0, 1)

function afterFailuresAt(days: readonly number[]) {
  let streak: FailureStreak = { failingSince: null, lastFailedAt: null }
  const disabledOn: number[] = []
  for (const at of days) {
    const next = streakAfterFailure(streak, new Date(start + at * day))
    if (hasFailedTooLong(next)) disabledOn.push(at)
    streak = next
  }
  return { streak, disabledOn }
}

test('a run of failures is too long when it reaches five days', () => {
  assert.deepEqual(afterFailuresAt([0, 1, 2, 3, 4, 4.99]).disabledOn, [])
  assert.deepEqual(afterFailuresAt([0, 1, 2, 3, 4, 5]).disabledOn, [5])
})

test('a failure that happens long after the previous ones starts a new run of failures', () => {
  const { streak, disabledOn } = afterFailuresAt([0, 3, 60])
  assert.deepEqual(disabledOn, [])
  assert.equal(streak.failingSince?.getTime(), start + 60 * day)
})

test('a run of failures starts at a failure and never includes a gap of more than five days', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 40, noNaN: true }), { minLength: 1 }), (times) => {
      const sorted = times.toSorted((a, b) => a - b)
      const { streak } = afterFailuresAt(sorted)
      const since = (Number(streak.failingSince) - start) / day
      const within = sorted.filter((at) => at >= since - 1e-6)
      return within.every((at, index) => index === 0 || at - (within[index - 1] ?? at) <= 5 + 1e-6)
    }),
  )
})
