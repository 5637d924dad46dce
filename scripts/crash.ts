// kill -9 of the service, of PostgreSQL and of both, under load, round after round: `npm run test:crash`. ROUNDS says how many.
// Ends with exit code 1 where an acknowledged write was lost, an event missed or the state torn.

import { runCrashes } from '../test/crash/campaign.ts'
import { killInEveryPost } from '../test/idempotency/kill-walk.ts'

const given = process.env.ROUNDS ?? ''
if (!/^\d{0,4}$/.test(given)) throw new Error('ROUNDS must be a whole number')
const rounds = given === '' ? 20 : Number(given)

const report = await runCrashes({ rounds, householdsPerRound: 4, claims: 'last a minute', log: console.log })
const { kills, households, acknowledged, lost, retries, unanswered, events, deliveries, statuses } = report
console.log(`kills: ${kills.service} of the service, ${kills.database} of PostgreSQL, ${kills.both} of both at once`)
console.log(`writes acknowledged: ${acknowledged} (${households} households), lost: ${lost}`)
console.log(
  `sent again: ${retries}, of them after a connection that broke: ${unanswered}; answers: ${JSON.stringify(statuses)}`,
)
console.log(`events: ${events}, arrived: ${deliveries} times`)
if (report.broken.length > 0) {
  for (const each of report.broken) console.error(each)
  console.error(`What was acknowledged: ${report.ledgerFile}`)
  process.exitCode = 1
}

const everyPost = await killInEveryPost({ isKilled: () => true, killAfterMs: () => Math.random() * 300, atOnce: 30 })
console.log(
  `same-key requests: ${everyPost.kills} operations killed with 30 under way, ${everyPost.acknowledged} of them answered before the kill; each had one effect after a retry`,
)
