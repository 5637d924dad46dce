import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullPools, poolSizesOf } from './pool-sizes.ts'

test('the pools of a process use what DATABASE_POOL allows, less the connection that listens, and none is too small', () => {
  for (let each = 10; each <= 500; each += 1) {
    const { app, system, operator } = poolSizesOf(each)
    assert.equal(app + system + operator + 1, each)
    assert.ok(app >= 4 && system >= 3 && operator >= 2, String(each))
  }
  assert.deepEqual(poolSizesOf(18), fullPools)
})
