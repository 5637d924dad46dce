import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { createDatabases } from '../../src/platform/db/databases.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { readMigrations } from '../../src/platform/db/newer-version.ts'
import { runJourney } from '../../src/sandbox/journey/run-journey.ts'
import { purgeDeletedWebhooks } from '../../src/webhooks/endpoints/purge-deleted-webhooks.ts'
import { removeOldPayloads } from '../../src/webhooks/history/remove-old-payloads.ts'
import { connectPartner } from '../support/client.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { startSecondService, startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startOwnCluster } from './own-cluster.ts'
import { withClient } from './owned-tables.ts'

/*
 * The deployment of decision 0010: an owner that is not a superuser runs the migrations, and two logins with no
 * privileges except the rights of one runtime role each run the service.
 */
const cluster = await startOwnCluster()
const folder = await mkdtemp(join(tmpdir(), 'housebill-separate-'))
await cluster.administer('create role bills_owner login createrole')
await cluster.administer('create role bills_service login; create role bills_system login')
const database = await cluster.createDatabase('bills', 'bills_owner')
const ownerUrl = cluster.connectionTo('bills', 'bills_owner')
const loginUrl = cluster.connectionTo('bills', 'bills_service')
const systemUrl = cluster.connectionTo('bills', 'bills_system')
await migrate(ownerUrl, await readMigrations('live'))
const ofSimulator = await withClient(ownerUrl, (client) =>
  client.query("select to_regnamespace('simulated_processor') as schema"),
)
// The start of a sandbox adds what live does without.
const service = await startTestService(
  {
    DATABASE_URL: loginUrl,
    DATABASE_SYSTEM_URL: systemUrl,
    DATABASE_OWNER_URL: ownerUrl,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  },
  { database },
)
after(async () => {
  await service.stop()
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a live database has no tables of the simulated processor', () => {
  assert.deepEqual(ofSimulator.rows, [{ schema: null }])
})

test('the whole journey completes with a login that owns nothing', async () => {
  const { baseUrl, credentials } = service
  const result = await runJourney(
    { ...credentials, baseUrl, postcode: 'LS2 9JT', tenants: 2, broadband: true, out: folder },
    { onStep: () => undefined, onTenant: () => undefined },
  )
  assert.equal(result.outcome, 'completed')
  assert.equal(result.contracts.length, 2)
})

test('when a tenant whom the payment processor knows is removed from the quote, all related rows are removed', async () => {
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const { quoteId, lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead))
  const { setupIntentId } = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [lead] }))
  await withClient(database.connectionString, async (client) => {
    const { rows } = await client.query(`select action from audit_log where subject_id = $1 order by entry_number`, [
      setupIntentId,
    ])
    assert.deepEqual(rows.at(-1), { action: 'removed' })
  })
})

test('work across partners succeeds too: a delivery is attempted and the attempt is recorded', async () => {
  const partner = await connectPartner(service.baseUrl, service.credentials)
  succeeded(await partner.post('/Webhooks', { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] }))
  await withClient(database.connectionString, async (client) => {
    const attempted = () => client.query('select from deliveries where attempt_count > 0')
    await waitFor('an attempt is recorded', async () => (await attempted()).rows.length > 0)
  })
})

test('the runtime roles have sufficient privileges for the whole life of a webhook, up to its deletion', async () => {
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const webhook = { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] }
  const { webhookId } = succeeded(await partner.post('/Webhooks', webhook))
  const since = new Date(Date.now() - 60_000).toISOString()
  succeeded(await partner.post(`/Webhooks/${webhookId}/replay`, { since }))
  succeeded(await partner.post(`/Webhooks/${webhookId}/rotate-secret`))
  succeeded(await partner.delete(`/Webhooks/${webhookId}`))
  const count = async (table: string) =>
    withClient(database.connectionString, async (client) => {
      const { rowCount } = await client.query(`select from ${table} where webhook_id = $1`, [webhookId])
      return rowCount
    })
  assert.equal(await count('replays'), 1)
  await withClient(database.connectionString, async (client) => {
    await client.query(`update webhooks set deleted_at = now() - interval '1 hour' where webhook_id = $1`, [webhookId])
    await client.query(`update events set occurred_at = now() - interval '40 days'`)
    await client.query(`with ended as (delete from delivery_queue returning *)
      insert into delivery_history (delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type,
        quote_id, own_body,
          created_at, status)
        select delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id, own_body,
          now() - interval '40 days', 'failed' from ended`)
    await client.query(`update delivery_history set created_at = now() - interval '40 days'`)
  })
  const pool = new Pool({ connectionString: systemUrl, pipeline: true })
  const db = createDatabases({ app: pool, system: pool }).system
  try {
    // The worker of the service may hold the row for a moment, to go on with the replay.
    await waitFor('the deleted webhook is purged', async () => {
      await purgeDeletedWebhooks({ db }, 10)
      return (await count('webhooks')) === 0
    })
    for (const table of ['webhooks', 'deliveries', 'replays', 'webhook_secrets'])
      assert.equal(await count(table), 0, table)
    const removed = await removeOldPayloads({ db }, { batch: 100, requireVerification: true, isStopping: () => false })
    assert.ok(removed.deliveries > 0 && removed.events > 0, JSON.stringify(removed))
  } finally {
    await pool.end()
  }
  await withClient(database.connectionString, async (client) => {
    const { rows } = await client.query(
      `select action from audit_log where subject_type = 'replay' order by entry_number`,
    )
    assert.deepEqual(rows, [{ action: 'created' }, { action: 'removed' }])
    const { rowCount } = await client.query('select from removed_events where position > 0')
    assert.equal(rowCount, 1)
  })
})

test('a login that owns nothing can register the scheduled jobs', async () => {
  await withClient(database.connectionString, async (client) => {
    const scheduled = async () => (await client.query('select from scheduled_jobs')).rows.length
    await waitFor('seven schedules are declared', scheduled, (count) => count >= 7)
  })
})

test('a login without a partner reads no rows of a partner, and can become neither the owner nor another login', async () => {
  await withClient(loginUrl, async (login) => {
    for (const text of [
      'select from key_ring',
      'set role bills_owner',
      'set role bills_system',
      'set role housebill_system',
    ])
      await assert.rejects(login.query(text), { code: '42501' }, text)
    const { rows } = await login.query('select from quotes')
    assert.deepEqual(rows, [])
  })
  await withClient(systemUrl, async (login) => {
    for (const text of ['set role bills_owner', 'set role housebill_app'])
      await assert.rejects(login.query(text), { code: '42501' }, text)
  })
})

test('the owner finds no row of a partner, because row-level security is forced', async () => {
  const quotes = (connectionString: string) =>
    withClient(connectionString, async (client) => (await client.query('select from quotes')).rows.length)
  assert.ok((await quotes(database.connectionString)) > 0)
  assert.equal(await quotes(ownerUrl), 0)
})

test('a second process of the same deployment serves requests too', async () => {
  const beside = await startSecondService(service)
  try {
    succeeded(await (await connectPartner(beside.baseUrl, service.credentials)).get('/Quotes'))
  } finally {
    await beside.stop()
  }
})
