import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query } from '../../support/embedded-postgres-fixture.ts'
import { startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'

/** The jobs of a sandbox, in the order of their names. */
const jobNames = [
  'close-tenancy-end-questions',
  'delete-at-processor',
  'end-contracts',
  'end-locks',
  'housekeeping',
  'pay-refunds',
  'purge-webhooks',
  'queue-tenant-mails',
  'reconcile-setup-intents',
  'record-commission',
  'remove-old-payloads',
  'remove-old-personal-data',
  'review-psr',
  'sandbox-requests',
  'send-mails',
  'send-tenant-mails',
  'stop-signing',
  'sweep-collections',
  'warn-of-expiry',
  'work-imports',
]

test('a few seconds after it starts, a service has scheduled every job without opening more connections', async (t) => {
  const service = await startTestService()
  t.after(() => service.stop())
  const rows = (statement: string) => query(service.connectionString, statement)
  const names = async () =>
    (await rows('select name from scheduled_jobs order by name')).map(({ name }) => name as string)
  await waitFor('all are declared', async () => (await names()).length >= jobNames.length)
  assert.deepEqual(await names(), jobNames)
  const free = await rows(`select name from scheduled_jobs where leased_until < now() + interval '1 year'`)
  assert.deepEqual(free, [], 'a service in a test runs no job unless the test asks for it')
  const connected = await rows(
    `select distinct application_name as name from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name <> '' order by 1`,
  )
  assert.deepEqual(
    connected.map(({ name }) => name),
    ['housebill', 'housebill wake-up'],
  )
})
