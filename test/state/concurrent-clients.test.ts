import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignSeed, isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { runConcurrentClients } from './concurrent-clients.ts'
import { operations } from './world.ts'

test('whatever three clients do to one household at the same time, what must always hold holds afterwards', async (t) => {
  const seed = campaignSeed()
  const runs = wholeNumberFromEnv('RUNS') ?? (isFullSize ? 300 : 20)
  const path = process.env.CASE
  t.diagnostic(`SEED=${seed} RUNS=${runs}${path === undefined ? '' : ` CASE=${path}`}`)
  const report = await runConcurrentClients({ seed, runs, path })
  t.diagnostic(`successes: ${JSON.stringify(Object.fromEntries(report.successes))}`)
  t.diagnostic(`refusals: ${JSON.stringify(Object.fromEntries(report.refusals))}`)
  if (path !== undefined) return
  assert.equal(report.runs, runs)
  // A run in which nothing gets through, or nobody is in another's way, shows nothing.
  for (const operation of operations) assert.ok(report.successes.has(operation), `${operation} never succeeded`)
  assert.ok(report.refusals.has('quote_locked'), 'nobody met a lock')
})
