import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { runCrashes } from './campaign.ts'

test('no acknowledged write is lost and the data stays consistent if the service, PostgreSQL or both are killed under load', async (t) => {
  const rounds = wholeNumberFromEnv('ROUNDS') ?? (isFullSize ? 21 : 3)
  const householdsPerRound = isFullSize ? 4 : 2
  const report = await runCrashes({
    rounds,
    householdsPerRound,
    claims: isFullSize ? 'last a minute' : 'lapse at once',
    log: (line) => t.diagnostic(line),
  })
  const { kills, acknowledged, lost, retries, events, deliveries, contracts, statuses, ledgerFile } = report
  t.diagnostic(
    `${acknowledged} writes acknowledged, ${lost} lost, ${retries} retries, statuses ${JSON.stringify(statuses)}`,
  )
  t.diagnostic(`${events} events, delivered ${deliveries} times; the back office followed ${contracts} contracts`)
  assert.deepEqual(report.broken, [], `acknowledged writes: ${ledgerFile}`)
  assert.equal(kills.service + kills.database + kills.both, rounds)
  assert.equal(lost, 0)
  assert.equal(report.households, rounds * householdsPerRound)
  assert.ok(acknowledged >= report.households * 4)
  assert.ok(retries > 0, 'no request was interrupted by a kill')
  assert.ok(deliveries >= events && events > 0)
  assert.ok(contracts > 0)
})
