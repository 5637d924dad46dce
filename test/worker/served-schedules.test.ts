import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query } from '../support/embedded-postgres-fixture.ts'
import { startTestService } from '../support/service.ts'
import { eventually } from './scheduled-work-fixture.ts'

test('a service, some seconds after its start, carries every schedule over the connections it has anyway', async (t) => {
  const service = await startTestService()
  t.after(() => service.stop())
  const rows = (statement: string) => query(service.connectionString, statement)
  assert.deepEqual(await rows('select from pgboss.schedule'), [], 'answering comes first')
  const schedules = () => rows('select name, cron from pgboss.schedule order by name')
  await eventually('all are declared', async () => (await schedules()).length >= 7)
  assert.deepEqual(await schedules(), [
    { name: 'delete-at-processor', cron: '* * * * *' },
    { name: 'housekeeping', cron: '7 * * * *' },
    { name: 'purge-webhooks', cron: '*/10 * * * *' },
    { name: 'reconcile-setup-intents', cron: '* * * * *' },
    { name: 'remove-old-payloads', cron: '17 * * * *' },
    { name: 'remove-old-personal-data', cron: '27 * * * *' },
    { name: 'sweep-collections', cron: '* * * * *' },
  ])
  const connected = await rows(
    `select distinct application_name as name from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name <> '' order by 1`,
  )
  assert.deepEqual(
    connected.map(({ name }) => name),
    ['housebill', 'housebill wake-up'],
  )
})
