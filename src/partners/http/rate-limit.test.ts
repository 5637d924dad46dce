import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { policyWithoutBursts } from './rate-limit.ts'

const policyOf = (callsPerMinute: number) => {
  const { quota, windowSeconds } = policyWithoutBursts('checks', callsPerMinute)
  return [quota, windowSeconds]
}

test('a limit for a minute is divided into short windows, unless it is so low that few calls would fit into one', () => {
  assert.deepEqual([300, 100, 60, 20, 12, 2, 1].map(policyOf), [
    [30, 6],
    [10, 6],
    [10, 10],
    [10, 30],
    [12, 60],
    [2, 60],
    [1, 60],
  ])
  assert.equal(policyOf(0)[0], 0, 'no limit')
})

test('whatever the limit, full windows never exceed it, and from 20 calls a minute the burst between two windows is at most a fifth of it or 20 calls', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (callsPerMinute) => {
      const [quota = 0, windowSeconds = 0] = policyOf(callsPerMinute)
      assert.ok(quota >= 1 && (quota * 60) / windowSeconds <= callsPerMinute)
      assert.ok((quota * 60) / windowSeconds > callsPerMinute * 0.9 - 1)
      if (callsPerMinute >= 20) assert.ok(2 * quota <= Math.max(20, callsPerMinute / 5))
    }),
  )
})
