import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DomainError } from '../../platform/kernel/errors.ts'
import { type ReplayRange, rangeOf, widenedRange } from './replay.ts'

const now = new Date('2026-11-20T09:00:00Z')
const at = (secondsAgo: number) => new Date(now.getTime() - secondsAgo * 1_000)
const month = 30 * 86_400

test('rangeOf returns a range within the last 30 days or rejects each invalid time', () => {
  const seconds = fc.integer({ min: -100, max: month + 100 })
  fc.assert(
    fc.property(fc.option(seconds, { nil: undefined }), fc.option(seconds, { nil: undefined }), (from, until) => {
      const since = from ?? month
      const request = {
        since: from === undefined ? undefined : at(from),
        until: until === undefined ? undefined : at(until),
      }
      const bad = [
        ...(since <= 0 || since > month ? ['/since'] : []),
        ...(until !== undefined && until >= since ? ['/until'] : []),
      ]
      try {
        const range = rangeOf(request, now)
        assert.deepEqual(bad, [])
        assert.deepEqual(range.since, at(since))
        assert.ok(range.since < range.until && range.until <= now)
        assert.equal(range.isOpen, until === undefined || until <= 0)
        assert.deepEqual(range.until, range.isOpen ? now : request.until)
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        assert.equal(error.code, 'validation_failed')
        assert.deepEqual(
          error.fields.map(({ pointer }) => pointer),
          bad,
        )
      }
    }),
  )
})

test('rangeOf accepts a start exactly 30 days ago and rejects one a millisecond earlier', () => {
  const until = undefined
  assert.equal(rangeOf({ since: at(month), until }, now).isOpen, true)
  assert.throws(() => rangeOf({ since: new Date(at(month).getTime() - 1), until }, now), /at most 30 days ago/)
})

const range: fc.Arbitrary<ReplayRange> = fc
  .tuple(fc.integer({ min: 1, max: month }), fc.integer({ min: 0, max: month }), fc.boolean())
  .map(([since, length, isOpen]) => ({
    since: at(since),
    until: isOpen ? now : at(Math.max(0, since - length - 1)),
    isOpen,
  }))

test('widenedRange returns a range that covers both, or undefined if and only if the first already covers the second', () => {
  fc.assert(
    fc.property(range, range, (running, requested) => {
      const wider = widenedRange(running, requested)
      const result = wider ?? running
      for (const each of [running, requested]) {
        assert.ok(result.since <= each.since && result.until >= each.until)
        assert.ok(result.isOpen || !each.isOpen)
      }
      assert.equal(widenedRange(result, requested), undefined)
      assert.equal(widenedRange(result, running), undefined)
    }),
  )
})

test('widenedRange leaves a running open-ended replay unchanged if a later open-ended request has the same start', () => {
  const running = { since: at(60), until: at(30), isOpen: true }
  assert.equal(widenedRange(running, { since: at(60), until: now, isOpen: true }), undefined)
})
