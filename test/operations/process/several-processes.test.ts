import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connectPartner, type Partner } from '../../support/client.ts'
import { query } from '../../support/embedded-postgres-fixture.ts'
import { finalise, startHousehold, startPaymentSetup } from '../../support/household.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { sandboxContents, sandboxCredentials } from '../../support/sandbox-contents.ts'
import { findFreePort } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'
import { startReceiver } from '../../webhooks/receiver-fixture.ts'
import { readExposition } from '../metrics/exposition.ts'
import { connectToEach, type PinnedConnection } from './pinned-connection.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

/* One deployment of two processes, which the tests use one after the other. */

const certificate = fileURLToPath(new URL('../../support/test-only-receiver-certificate.pem', import.meta.url))
const addressUid = ordinaryProperty().addressUid
let database: TestDatabase
let dataDir: string
let service: ServiceProcess
let partner: Partner
let connections: PinnedConnection[]

const rows = (statement: string) => query(database.connectionString, statement)
const connectAnew = async () => {
  for (const connection of connections ?? []) await connection.close()
  connections = await connectToEach(service, 2, partner.token)
}
const processes = () => connections.map(({ pid }) => pid)
/** The requests of one operation, over both processes. */
const counted = async (operation: string, status = '2xx') => {
  const page = readExposition(await (await fetch(`${service.baseUrl}/metrics`)).text())
  return page.value('housebill_http_request_duration_seconds_count', { operation, status })
}

before(async () => {
  database = await createTestDatabase(sandboxContents)
  // Both processes find this job due, and the table shows every run that begins.
  await rows(`
    insert into scheduled_jobs (name, due_at) values ('housekeeping', now() - interval '1 hour');
    create table runs (name text);
    grant insert on runs to public;
    create function note_run() returns trigger language plpgsql as
      $$ begin insert into runs values (new.name); return new; end $$;
    create trigger note_run after update on scheduled_jobs for each row
      when (old.started_at is distinct from new.started_at) execute function note_run()`)
  dataDir = await mkdtemp(join(tmpdir(), 'housebill-processes-'))
  const port = await findFreePort()
  service = await startServiceProcess(
    {
      PROCESSES: '2',
      DATABASE_URL: database.connectionString,
      DATA_DIR: dataDir,
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SANDBOX_CLIENT_ID: sandboxCredentials.clientId,
      SANDBOX_CLIENT_SECRET: sandboxCredentials.clientSecret,
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      // 15 checks in a window of a minute, which outlasts the test.
      BROADBAND_CHECK_LIMIT_PER_MINUTE: '15',
      RATE_LIMIT_PER_SECOND: '10000',
    },
    { NODE_EXTRA_CA_CERTS: certificate },
  )
  partner = await connectPartner(service.baseUrl, sandboxCredentials)
  connections = await connectToEach(service, 2, partner.token)
})
after(async () => {
  for (const connection of connections ?? []) await connection.close()
  service.signal('SIGKILL')
  await service.ended
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

test('two processes serve one port, and the parent serves nothing itself', async () => {
  assert.equal(new Set(processes()).size, 2)
  assert.ok(!processes().includes(service.pid))
  for (const connection of connections)
    assert.deepEqual((await connection.send('GET', '/health/ready')).body, { status: 'ready' })
  assert.equal(service.log.filter(({ msg }) => /^Server listening/.test(msg)).length, 1, 'one payment simulator runs')
})

// Before the tests that leave idle connections behind: a process that retires waits for them, up to 72 seconds.
test('a rolling restart replaces both processes, and no request fails meanwhile', async () => {
  const earlier = processes()
  const quoteId = succeeded(await partner.post('/Quotes', { addressUid })).quoteId
  const failures: unknown[] = []
  let sent = 0
  let isOver = false
  const load = async (request: () => Promise<unknown>) => {
    while (!isOver) {
      sent += 1
      await request().catch((error: unknown) => failures.push(error))
      // Leave the processor to the processes that start.
      await sleep(5)
    }
  }
  // On connections that are kept, as many clients do, and on new ones.
  const read = async () => succeeded(await partner.get(`/Quotes/${quoteId}`))
  const create = async () => succeeded(await partner.post('/Quotes', { addressUid }))
  const readAnew = async () => {
    const headers = { Authorization: `Bearer ${partner.token}`, Connection: 'close' }
    const { status } = await fetch(`${service.baseUrl}/partner-api/Quotes/${quoteId}`, { headers })
    assert.equal(status, 200)
  }
  const loads = [read, read, create, readAnew].map(load)
  service.signal('SIGHUP')
  for (const connection of connections) await connection.close()
  await waitFor('the restart is finished', () => service.log.some(({ msg }) => msg === 'rolling restart finished'))
  isOver = true
  await Promise.all(loads)
  assert.deepEqual(failures, [])
  assert.ok(sent > 50, `${sent} requests`)
  await connectAnew()
  assert.deepEqual(
    processes().filter((pid) => earlier.includes(pid)),
    [],
  )
})

test('a limit is shared: all of it can be used through one process, and no more through both', async () => {
  const [one, other] = connections
  let checked = 0
  const check = async (connection: PinnedConnection | undefined) => {
    checked += 1
    const path = `/partner-api/Quotes/run-broadband-availability-check/${ordinaryProperty(checked).addressUid}`
    return (await connection?.send('GET', path))?.status
  }
  assert.equal(await check(one), 200)
  const later = []
  for (let call = 0; call < 14; call += 1) later.push(await check(other))
  assert.deepEqual(later, Array(14).fill(200), 'what the first process borrowed and did not use is lent again')
  for (const connection of [other, one, other, one]) assert.equal(await check(connection), 429)
})

test('one scrape has the sums of both processes', async () => {
  const before = await counted('getQuote', '4xx').catch(() => 0)
  for (const connection of connections)
    for (let call = 0; call < 3; call += 1) await connection.send('GET', '/partner-api/Quotes/unknown')
  assert.equal(await counted('getQuote', '4xx'), before + 6)
  const page = readExposition(await (await fetch(`${service.baseUrl}/metrics`)).text())
  assert.equal(page.value('housebill_upstream_breaker', { upstream: 'home-telecom', state: 'closed' }), 1)
  assert.equal(page.value('housebill_webhooks', { state: 'active' }), 0)
})

test('a token that one process revokes is soon rejected by the other', async () => {
  const { clientId, clientSecret } = sandboxCredentials
  const { token } = await connectPartner(service.baseUrl, sandboxCredentials)
  const [one, other] = await connectToEach(service, 2, token)
  assert.ok(one && other)
  const lookup = '/partner-api/Addresses/lookup?postcode=LS29JT'
  assert.equal((await other.send('GET', lookup)).status, 200)
  assert.equal((await one.send('POST', '/partner-api/Auth/revoke', { token, clientId, clientSecret })).status, 200)
  assert.equal((await one.send('GET', lookup)).status, 401)
  await waitFor('the other rejects it', async () => (await other.send('GET', lookup)).status === 401)
  await one.close()
  await other.close()
})

test('events of quotes that both processes change arrive once and in order', async (t) => {
  const receiver = await startReceiver(t)
  const types = ['quote.status.changed', 'customer.status.changed']
  succeeded(
    await partner.post('/Webhooks', {
      url: `https://localhost:${receiver.port}/hook`,
      events: types,
    }),
  )
  // Clients share out their connections, so both processes change each quote.
  const households = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { quoteId, lead } = await startHousehold(partner, { tenants: 2 })
      await finalise(partner, lead)
      await startPaymentSetup(partner, lead)
      for (const operation of ['reopen', 'cancel'])
        succeeded(await partner.send('POST', `/Quotes/${quoteId}/${operation}`))
      return quoteId
    }),
  )
  const expected = await rows(
    `select event_id, quote_id from events
      where type in ('${types.join(`', '`)}') and quote_id in ('${households.join(`', '`)}') order by event_number`,
  )
  await waitFor('every event has arrived', () => receiver.events().length >= expected.length)
  const arrived = receiver.events().map(({ message }) => ({ event_id: message.id, quote_id: message.data.quoteId }))
  const byQuote = (events: typeof expected) =>
    households.map((quote) => events.filter(({ quote_id }) => quote_id === quote).map(({ event_id }) => event_id))
  assert.deepEqual(byQuote(arrived), byQuote(expected))
  assert.ok(expected.length >= 4 * households.length)
  assert.equal(arrived.length, expected.length)
})

test('a job that is due in both processes runs once', async () => {
  await waitFor('it has run', () =>
    rows(`select from scheduled_jobs where name = 'housekeeping' and succeeded_at is not null`).then(
      ({ length }) => length === 1,
    ),
  )
  assert.equal((await rows(`select from runs where name = 'housekeeping'`)).length, 1)
})

test('a process that is killed is replaced, and the sums of its metrics stay', async () => {
  const before = await counted('getQuote', '4xx')
  const [killed = 0, kept] = processes()
  process.kill(killed, 'SIGKILL')
  await waitFor('the end is logged', () => service.log.some(({ msg }) => msg.startsWith('process ended unexpectedly')))
  await waitFor('another is ready', () =>
    service.log.some(({ msg, pid = 0 }) => msg.startsWith('listening at ') && ![killed, kept].includes(pid)),
  )
  await connectAnew()
  assert.ok(processes().includes(kept ?? 0) && !processes().includes(killed))
  assert.equal(await counted('getQuote', '4xx'), before)
})

test('after SIGTERM, both processes and the parent end, and the exit code is 0', async () => {
  await connectAnew()
  service.signal('SIGTERM')
  assert.equal(await service.ended, 0)
  for (const pid of processes())
    assert.ok(service.log.some((line) => line.pid === pid && line.msg === 'process stopped'))
  assert.equal(service.log.at(-1)?.msg, 'stopped')
})
