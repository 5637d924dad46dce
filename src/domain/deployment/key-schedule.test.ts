import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { acceptedKeys, announce, type KeySchedule, promotableAt, promote, readSchedule } from './key-schedule.ts'

const startedAt = Date.parse('2026-12-01T09:00:00Z')
const at = (seconds: number) => new Date(startedAt + seconds * 1000)
const first: KeySchedule = { current: 'key-0', previous: [] }

/** Replaces the key several times, some time apart, each time with an overlap. Returns when each key was the current one. */
function replaceRepeatedly(steps: readonly { pause: number; overlap: number }[]) {
  let schedule = first
  let now = 0
  const used = [{ id: 'key-0', until: Number.POSITIVE_INFINITY }]
  for (const [index, { pause, overlap }] of steps.entries()) {
    now += pause
    const id = `key-${index + 1}`
    schedule = promote(announce(schedule, id, at(now)), overlap, at(now))
    for (const each of used)
      each.until = Math.min(
        each.until,
        overlap === 0 ? now : each.until,
        now + (each.id === `key-${index}` ? overlap : Number.POSITIVE_INFINITY),
      )
    used.push({ id, until: Number.POSITIVE_INFINITY })
  }
  return { schedule, now, used }
}

const steps = fc.array(
  fc.record({ pause: fc.integer({ min: 0, max: 200_000 }), overlap: fc.constantFrom(0, 60, 3_660, 86_460) }),
  { maxLength: 6 },
)

test('however often a key is replaced, each earlier key verifies until its overlap ends, and none after a compromise', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 200_000 }), (made, later) => {
      const { schedule, now, used } = replaceRepeatedly(made)
      const expected = used.filter(({ until }) => until > now + later).map(({ id }) => id)
      assert.deepEqual(acceptedKeys(schedule, at(now + later)).sort(), expected.sort())
    }),
  )
})

test('the current key comes first, and an announced key verifies before it signs', () => {
  const announced = announce(first, 'key-1', at(0))
  assert.deepEqual(acceptedKeys(announced, at(0)), ['key-0', 'key-1'])
  assert.deepEqual(acceptedKeys(promote(announced, 60, at(5)), at(5)), ['key-1', 'key-0'])
})

test('a key is announced for five seconds before it is used; without an announced key, nothing is replaced', () => {
  assert.deepEqual(promotableAt(announce(first, 'key-1', at(10))), at(15))
  assert.equal(promotableAt(first), undefined)
  assert.deepEqual(promote(first, 0, at(0)), first)
})

test('a schedule survives being stored', () => {
  const schedule = announce(promote(announce(first, 'key-1', at(0)), 60, at(5)), 'key-2', at(6))
  assert.deepEqual(readSchedule(JSON.stringify(schedule)), schedule)
})
