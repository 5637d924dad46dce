import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLogger } from '../../../src/app/logger.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'

const lines: { level: string; msg: string; migration?: string }[] = []
const log = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) })
const service = await startTestService({ LOG_LEVEL: 'info' }, { log })
after(() => service.stop())
const ready = async () => {
  const response = await fetch(`${service.baseUrl}/health/ready`)
  return `${response.status} ${await response.text()}`
}

test('when a newer version has migrated the database, the process turns not ready, stops its work and says so once', async () => {
  assert.equal(await ready(), '200 {"status":"ready"}')
  // What an old process meets: its tables have changed under it. It has not begun to run jobs yet.
  await rawRows(service, `insert into schema_migrations (name, sha256) values ('9999-from-the-future.sql', 'x')`)
  await rawRows(service, 'alter table scheduled_jobs rename to jobs_of_the_future')
  await waitFor('the process is not ready', ready, (found) => found.startsWith('503'))
  assert.equal(await ready(), '503 {"status":"database is newer than this version"}')
  const said = () => lines.filter(({ migration }) => migration === '9999-from-the-future.sql')
  assert.equal(said().length, 1)
  await waitFor('its work has stopped', () => lines.some(({ msg }) => msg === 'this process has stopped its work'))
  await rawRows(service, 'alter table delivery_queue rename to queue_of_the_future')
  await rawRows(service, 'select pg_sleep(3)')
  const sinceThen = lines.slice(lines.findIndex(({ migration }) => migration !== undefined) + 1)
  const failures = sinceThen.filter(({ level }) => level !== 'info')
  assert.deepEqual(failures, [], 'neither the worker nor the scheduler works on the changed tables')
  assert.equal(said().length, 1)
  assert.equal((await fetch(`${service.baseUrl}/health/live`)).status, 200)
})
