import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runConcurrentClients } from './concurrent-clients.ts'
import { operations } from './world.ts'

test('whatever three clients do to one household at the same time, what must always hold holds afterwards', async () => {
  const report = await runConcurrentClients({ seed: 1, runs: 20 })
  assert.equal(report.runs, 20)
  // A run in which nothing gets through, or nobody is in another's way, shows nothing.
  for (const operation of operations) assert.ok(report.successes.has(operation), `${operation} never succeeded`)
  assert.ok(report.refusals.has('quote_locked'), 'nobody met a lock')
})
