import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseRetryAfter } from '../../platform/kernel/upstream-failure.ts'
import { retryDelayMs } from './record-attempts.ts'

const anySchedule = fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 12 })
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('for a schedule of nine steps, retryDelayMs returns nine delays and then undefined, which makes ten attempts', () => {
  const schedule = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  const delays = Array.from({ length: 12 }, (_, index) => retryDelayMs(schedule, index + 1, 0.5))
  assert.deepEqual(delays, [...schedule.map((seconds) => seconds * 1_000), undefined, undefined, undefined])
})

test('for any schedule and random number, retryDelayMs stays within 20 % of the step and is undefined after the last step', () => {
  fc.assert(
    fc.property(anySchedule, fc.integer({ min: 1, max: 14 }), anyRandom, (schedule, attempt, random) => {
      const step = schedule[attempt - 1]
      const delay = retryDelayMs(schedule, attempt, random)
      if (step === undefined) return delay === undefined
      return delay !== undefined && delay >= step * 800 - 1 && delay <= step * 1_200 + 1
    }),
  )
})

test('retryDelayMs covers the whole range of ±20 % between the smallest and the largest random number', () => {
  assert.equal(retryDelayMs([100], 1, 0), 80_000)
  assert.equal(retryDelayMs([100], 1, 0.5), 100_000)
  assert.equal(retryDelayMs([100], 1, 0.999_999_999), 120_000)
})

test('with any Retry-After, retryDelayMs returns at least the delay without it and at most double the scheduled delay', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      anyRandom,
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      (step, random, retryAfter) => {
        const without = retryDelayMs([step], 1, random) ?? Number.NaN
        const delay = retryDelayMs([step], 1, random, retryAfter) ?? Number.NaN
        return delay >= without && delay <= step * 2_000
      },
    ),
  )
  assert.equal(retryDelayMs([100], 1, 0.5, 150), 150_000)
  assert.equal(retryDelayMs([100], 1, 0.5, 3_600), 200_000)
  assert.equal(retryDelayMs([100], 1, 0.5, 10), 100_000)
})

test('parseRetryAfter returns seconds from now for a number or a date, and undefined for anything else', () => {
  const now = new Date('2026-11-20T08:00:00Z')
  assert.equal(parseRetryAfter('120', now), 120)
  assert.equal(parseRetryAfter(' 0 ', now), 0)
  assert.equal(parseRetryAfter('Fri, 20 Nov 2026 08:01:30 GMT', now), 90)
  assert.equal(parseRetryAfter('Fri, 20 Nov 2026 07:00:00 GMT', now), 0)
  for (const header of [
    undefined,
    '',
    '-1',
    '1.5',
    'soon',
    '2026-11-20',
    '1e9',
    '12345678901',
    'Fri, 99 Nov 2026 08:01:30 GMT',
  ]) {
    assert.equal(parseRetryAfter(header, now), undefined, String(header))
  }
})
