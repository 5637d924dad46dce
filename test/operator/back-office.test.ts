import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { createOperator } from '../support/operator.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-back-office-'))
const file = join(folder, 'back-office.sqlite')
const service = await startTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const { clientId, clientSecret } = await createOperator(service, ['contracts:read', 'contracts:write'])
const example = fileURLToPath(new URL('../../examples/back-office/follow.ts', import.meta.url))
let running: ChildProcess | undefined
after(async () => {
  await kill()
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Starts the example back office, as its users do. */
function start(): void {
  running = spawn(process.execPath, [example, file], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {
      ...process.env,
      HOUSEBILL_URL: service.baseUrl,
      OPERATOR_CLIENT_ID: clientId,
      OPERATOR_CLIENT_SECRET: clientSecret,
      PAUSE_MS: '50',
    },
  })
}

/** Ends it without warning. */
async function kill(): Promise<void> {
  if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
  running.kill('SIGKILL')
  await once(running, 'exit')
}

/** Breaks the connections of the service, as a database that restarts does. */
const breakConnections = () =>
  rawRows(
    service,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )

/** What the back office has, and what it should have. Empty until it has a table. */
function stored(): string[] {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    return db
      .prepare('select number, version, status, acknowledged from contracts order by number')
      .all()
      .map(({ number, version, status, acknowledged }) => `${number} ${version} ${status} ${acknowledged}`)
  } finally {
    db.close()
  }
}
async function expected(): Promise<string[]> {
  const rows = await rawRows(
    service,
    `select contract_number as number, status, max(version) as version, effective_at is not null as effective
       from contracts join contract_versions using (partner_id, contract_number) group by 1, 2, 4 order by 1`,
  )
  return rows.map(
    ({ number, version, status, effective }) => `${number} ${version} ${status} ${effective === true ? version : 0}`,
  )
}

test('the example back office ends with exactly the contracts that the database has, over kills and broken connections', async () => {
  start()
  for (let round = 0; round < 4; round += 1) {
    const signed = await startHousehold(partner, { tenants: 2 })
    for (const tenant of signed.tenants) await onboard(partner, tenant)
    if (round % 2 === 0) await kill()
    const reopened = await startHousehold(partner, { tenants: 2 })
    await onboard(partner, reopened.lead)
    succeeded(await partner.post(`/Quotes/${reopened.quoteId}/reopen`))
    if (round % 2 === 0) start()
    else await breakConnections()
    await waitFor('the service answers again', async () => (await partner.get('/Quotes')).status === 200)
    succeeded(await partner.post(`/Customers/${signed.lead}/cancel-contract`))
    const report = { serviceId: 'gas-standard', status: 'requested' }
    succeeded(await partner.post(`/Sandbox/quotes/${signed.quoteId}/service-status`, report))
  }
  const wanted = await expected()
  assert.equal(wanted.length, 12)
  await waitFor('the back office has everything', () => stored().join() === wanted.join())
})
