import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query } from '../../support/embedded-postgres-fixture.ts'
import { jobNames } from '../../support/scheduled-jobs.ts'
import { startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'

test('a few seconds after it starts, a service has scheduled every job without opening more connections', async (t) => {
  const service = await startTestService()
  t.after(() => service.stop())
  const rows = (statement: string) => query(service.connectionString, statement)
  const names = async () =>
    (await rows('select name from scheduled_jobs order by name')).map(({ name }) => name as string)
  await waitFor('all are declared', async () => (await names()).length >= jobNames.length)
  assert.deepEqual(await names(), jobNames)
  const connected = await rows(
    `select distinct application_name as name from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name <> '' order by 1`,
  )
  assert.deepEqual(
    connected.map(({ name }) => name),
    ['housebill', 'housebill wake-up'],
  )
})
