import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dividePools, fullPools, parentPools } from './pool-sizes.ts'

test('the pools of all processes, of one more and of the parent fit the limit with ten connections left', () => {
  for (let limit = 48; limit <= 500; limit += 1) {
    for (let processes = 2; 10 * (processes + 1) <= limit - 18; processes += 1) {
      const { app, system, operator } = dividePools(processes, limit)
      const parent = parentPools.app + parentPools.system + parentPools.operator + 1
      const used = (app + system + operator + 1) * (processes + 1) + parent
      assert.ok(used <= limit - 10, `${processes} processes with ${limit} connections use ${used}`)
      assert.ok(app >= 4 && system >= 3 && operator >= 2)
      assert.ok(app <= fullPools.app && system <= fullPools.system && operator <= fullPools.operator)
    }
  }
})

test('two processes on a default PostgreSQL have full pools; too many processes are rejected with what to do', () => {
  assert.deepEqual(dividePools(2, 97), fullPools)
  assert.throws(() => dividePools(8, 97), {
    code: 'too_few_connections',
    message:
      'PROCESSES=8 needs 11 more connections than PostgreSQL allows. Raise its max_connections by 11, or lower PROCESSES to 6.',
  })
})
