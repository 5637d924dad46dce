import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignSeed, isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { runConcurrentClients } from './concurrent-clients.ts'
import { operations } from './world.ts'

test('the invariants hold after three clients have used one household at the same time', async (t) => {
  const seed = campaignSeed()
  const runs = wholeNumberFromEnv('RUNS') ?? (isFullSize ? 300 : 20)
  const path = process.env.CASE
  t.diagnostic(`SEED=${seed} RUNS=${runs}${path === undefined ? '' : ` CASE=${path}`}`)
  const report = await runConcurrentClients({ seed, runs, path })
  t.diagnostic(`successes: ${JSON.stringify(Object.fromEntries(report.successes))}`)
  t.diagnostic(`rejections: ${JSON.stringify(Object.fromEntries(report.rejections))}`)
  if (path !== undefined) return
  assert.equal(report.runs, runs)
  // A run in which nothing succeeds, or in which no client gets in another's way, proves nothing.
  for (const operation of operations) assert.ok(report.successes.has(operation), `${operation} never succeeded`)
  assert.ok(report.rejections.has('quote_locked'), 'no call was rejected because the quote was locked')
})
