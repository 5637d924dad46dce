import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCrashes } from './campaign.ts'

test('the service, PostgreSQL and both, when they are killed under load, lose nothing that was acknowledged and tear nothing', async (t) => {
  const report = await runCrashes({
    rounds: 3,
    householdsPerRound: 3,
    claims: 'lapse at once',
    log: (line) => t.diagnostic(line),
  })
  assert.deepEqual(report.broken, [])
  assert.deepEqual(report.kills, { service: 1, database: 1, both: 1 })
  assert.equal(report.lost, 0)
  assert.equal(report.households, 9)
  assert.ok(report.acknowledged >= 9 * 4)
  assert.ok(report.retries > 0, 'no request met a kill')
  assert.ok(report.deliveries >= report.events && report.events > 0)
})
