import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { startTestService } from '../support/service.ts'

const watchedSeconds = 4
/** Every loop looks for work every few seconds at most; one that never pauses makes hundreds. */
const mostEachSecond = 8

test('a sandbox that has nothing to do looks for work a few times a second, whatever it has done before', async (t) => {
  const service = await startTestService()
  const watcher = new Client({ connectionString: service.connectionString })
  t.after(async () => {
    await watcher.end()
    await service.stop()
  })
  await watcher.connect()
  // What its start brought with it ends, and the loops' pauses grow to their longest.
  await sleep(4_000)
  const before = await transactions(watcher)
  await sleep(watchedSeconds * 1_000)
  const eachSecond = ((await transactions(watcher)) - before) / watchedSeconds
  assert.ok(eachSecond > 0, 'it does look')
  assert.ok(eachSecond < mostEachSecond, `${eachSecond} transactions a second with nothing to do`)
})

/** Of this database, by anybody, since it was made. Sessions report them a second after the last at the latest. */
async function transactions(client: Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select (xact_commit + xact_rollback)::integer as count from pg_stat_database where datname = current_database()',
  )
  return rows[0]?.count ?? Number.NaN
}
