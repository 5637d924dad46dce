import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { readFileLedger } from '../../src/privacy/erasure-ledger/file.ts'
import { assertSucceeded, bin, checkout, housebill } from '../cli/cli-fixture.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

/** Makes the commit of every transaction that erases a customer wait for a very long time. */
async function holdCommits(): Promise<void> {
  await rawRows(
    service,
    `create function hold_commit() returns trigger language plpgsql as
       $$ begin perform pg_sleep(3600); return null; end $$`,
  )
  await rawRows(
    service,
    `create constraint trigger hold_commit after update on customers deferrable initially deferred
       for each row when (new.erased_at is not null) execute function hold_commit()`,
  )
}

test('a process killed between the ledger and the commit has erased nobody, and a replay completes the erasure', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const ledger = service.config.erasureLedger.file
  await holdCommits()
  const child = spawn(process.execPath, [bin, 'customers', 'erase', lead], {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...service.environment },
    stdio: 'ignore',
  })
  const ended = once(child, 'close')
  const held = await waitFor('the commit is held', async () => {
    const [row] = await rawRows(
      service,
      `select pid from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep' and query = 'commit'`,
    )
    return row
  })
  const { entries } = await readFileLedger(ledger)
  assert.deepEqual(
    entries.map(({ customerId }) => customerId),
    [lead],
    'the entry is on the disk before the commit',
  )
  child.kill('SIGKILL')
  await ended
  await rawRows(service, 'select pg_terminate_backend($1::int)', [held?.pid])
  await rawRows(service, 'drop trigger hold_commit on customers')
  assert.notEqual(succeeded(await partner.get(`/Customers/${lead}`)).personalDetails.firstName, 'Erased')

  const replayed = await housebill(['customers', 'erase', '--replay'], service.environment)
  assertSucceeded(replayed)
  assert.equal(replayed.stdout, 'Erased: 1. Already erased: 0. Unknown here: 0.\n')
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).personalDetails.firstName, 'Erased')
  assert.equal((await readFileLedger(ledger)).entries.length, 1)
})
