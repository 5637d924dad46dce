import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectLogins } from '../../../src/platform/db/connect-logins.ts'
import { withLongSession } from '../../../src/platform/db/long-session.ts'
import { sql } from '../../../src/platform/db/sql.ts'
import { type ApiResponse, connectPartner } from '../../support/client.ts'
import { codeOf, rejected, succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { holdJobs } from '../../support/scheduled-jobs.ts'
import { startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'
import { startTwoServers } from './two-servers.ts'

const servers = await startTwoServers()
const { connectionString } = servers
const environment = { ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}` }
const startOn = (database: string) =>
  startTestService(environment, {
    database: { connectionString: database, drop: async () => undefined },
    hasSchedule: true,
  })
const service = await startOn(connectionString)
await servers.ask('primary', holdJobs)
after(async () => {
  await service.stop()
  await servers.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryProperty()
const create = (reference: string) =>
  partner.post('/Quotes', { addressUid, reference }, { headers: { 'Idempotency-Key': reference } })
const ready = async () => (await fetch(`${service.baseUrl}/health/ready`)).status

/** Whether the request took effect. Nothing else is allowed but a 503 that says when to come back. */
function isDone(response: ApiResponse): boolean {
  if (response.status === 200) return true
  // The first attempt may still be waiting for its end.
  if (codeOf(response) === 'idempotency_in_flight') return false
  rejected(response, 503, 'service_unavailable')
  assert.ok(Number(response.headers.get('retry-after')) > 0)
  return false
}

test('the primary among several hosts is used, and reads go on while a change waits for a standby that is away', async () => {
  const { quoteId } = succeeded(await create('before'))
  await servers.waitForStandby('absent')
  let isWaiting = true
  const change = create('waiting').finally(() => {
    isWaiting = false
  })
  try {
    await waitFor('the change waits', async () => {
      // A commit that waits keeps its locks. Other sessions may wait too, but none of them claims a key.
      const waiting = `select from pg_stat_activity join pg_locks using (pid)
        where wait_event = 'SyncRep' and relation = 'idempotency_keys'::regclass and mode = 'RowExclusiveLock'`
      return (await servers.ask('primary', waiting)).length > 0
    })
    for (let count = 0; count < 10; count += 1) succeeded(await partner.get(`/Quotes/${quoteId}`))
    assert.ok(isWaiting)
  } finally {
    await servers.waitForStandby('two')
  }
  succeeded(await change)
})

test('a start finds the primary when the standby is named first', async () => {
  const other = await startOn(connectionString.replace(/host=([^,&]+),([^,&]+)/, 'host=$2,$1'))
  await other.stop()
})

test('when the primary dies and the standby is promoted, writes go on there, nothing is lost and nothing returned 500', async () => {
  const acknowledged: string[] = []
  let isOver = false
  const load = async (name: string) => {
    for (let count = 0; !isOver; count += 1) {
      const reference = `${name}-${count}`
      // A client repeats what returned 503.
      while (!isDone(await create(reference)) && !isOver) await sleep(50)
      if (!isOver) acknowledged.push(reference)
      isDone(await partner.get('/Quotes'))
    }
  }
  const loads = Promise.all(['a', 'b', 'c'].map(load))
  await waitFor('there is load', () => acknowledged.length > 10)
  await servers.killPrimary()
  await waitFor('the service is not ready', ready, (status) => status === 503)
  isDone(await partner.get('/Quotes'))
  const before = acknowledged.length
  await servers.ask('standby', 'select pg_promote()')
  await waitFor('writes go on', () => acknowledged.length > before + 10)
  await waitFor('the service is ready', ready, (status) => status === 200)
  isOver = true
  await loads
  for (const reference of acknowledged)
    assert.equal(succeeded(await partner.get(`/Quotes?reference=${reference}`)).data.length, 1, reference)
  await waitFor('wake-ups arrive again', async () => {
    const listening = `select from pg_stat_activity where application_name = 'housebill wake-up'`
    return (await servers.ask('standby', listening)).length > 0
  })
})

test('commands find the primary, whichever place it has in the list', async () => {
  await connectLogins([{ variable: 'DATABASE_URL', connectionString }], { isPreparing: false })
  const [row] = await withLongSession(connectionString, (session) =>
    session.query<{ standby: boolean }>(sql`select pg_is_in_recovery() as standby`),
  )
  assert.equal(row?.standby, false)
})

test('if no host accepts writes, the start ends and names the setting', async () => {
  await servers.set('standby', 'default_transaction_read_only', 'on')
  await assert.rejects(
    connectLogins([{ variable: 'DATABASE_OWNER_URL', connectionString }], { isPreparing: false }),
    /^CommandError: No server in DATABASE_OWNER_URL accepts writes at the moment \(target_session_attrs=read-write\)/,
  )
})
