import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ensureRuntimeRoles } from '../../src/db/ensure-runtime-roles.ts'
import { migrate } from '../../src/db/migrate.ts'
import { readMigrations } from '../../src/db/read-migrations.ts'
import { everyAttempt } from '../support/every-attempt.ts'
import { startOwnCluster } from './own-cluster.ts'
import { withClient } from './owned-tables.ts'

/*
 * Migration 0026 moves rows of two tables, as an owner who is no superuser and sees none of them while row-level security is forced.
 */
const migrationName = '0026-lighter-deliveries.sql'
const cluster = await startOwnCluster()
after(() => cluster.stop())
await cluster.administer('create role bills_owner login createrole')
const { connectionString } = await cluster.createDatabase('bills', 'bills_owner')
const ownerUrl = cluster.connectionTo('bills', 'bills_owner')

/** Brings the empty database to what the migrations before it made. */
async function migrateUntilThen(): Promise<void> {
  const earlier = (await readMigrations()).filter(({ name }) => name < migrationName)
  await withClient(ownerUrl, async (owner) => {
    await owner.query(
      'create table schema_migrations (name text primary key, sha256 text, applied_at timestamptz default now())',
    )
    await ensureRuntimeRoles(owner, 'bills_owner')
    for (const { name, text, sha256 } of earlier) {
      await owner.query(text)
      await owner.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256])
    }
  })
}

test('deliveries, when the database is brought up to date, keep every attempt, state and message', async () => {
  await migrateUntilThen()
  await withClient(connectionString, async (superuser) => {
    await superuser.query(`
      insert into partners (partner_id, name) values ('partner_1', 'One');
      insert into webhooks (webhook_id, partner_id, url, events, status, verification, created_at, updated_at)
        values ('webhook_1', 'partner_1', 'https://receiver.test', '{quote.status.changed}', 'active', 'verified', now(), now());
      insert into events (event_id, partner_id, quote_id, type, data)
        select 'event_' || n, 'partner_1', 'quote_' || n, 'quote.status.changed', '{}' from generate_series(0, 7) n;
      insert into deliveries (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id, event_number, body, status,
        attempt_count, lease_id, leased_until)
        select 'delivery_' || n, partner_id, 'webhook_1', event_id, event_id, type, quote_id, event_number, 'kept ' || n,
          (array['pending', 'delivered', 'failed'])[1 + n % 3], n, case n % 3 when 0 then 'lease' end, case n % 3 when 0 then now() end
        from events cross join lateral (select split_part(event_id, '_', 2)::integer as n) number;
      insert into deliveries (delivery_id, partner_id, webhook_id, message_id, event_type, body, status, attempt_count)
        values ('delivery_own', 'partner_1', 'webhook_1', 'message_1', 'webhook.verification', 'own', 'delivered', 1);
      insert into delivery_attempts (delivery_id, attempt_number, partner_id, started_at, duration_ms, request_headers, response_status,
        response_body, error)
        select delivery_id, n, partner_id, now() + n * interval '1 minute', n, '{"webhook-id":"a"}', 500 + n, repeat('long ', 800) || n, 'error ' || n
        from deliveries cross join lateral generate_series(1, attempt_count) n;
      -- What no program of ours leaves: counted and not there, and there and not counted.
      delete from delivery_attempts where delivery_id = 'delivery_6';
      update deliveries set attempt_count = 5 where delivery_id = 'delivery_7'`)
    const rows = async (text: string) => (await superuser.query(text)).rows
    const states = `select delivery_id, status, lease_id, leased_until from deliveries order by delivery_id`
    const attempts = (from: string) => rows(`select * from ${from} a order by delivery_id, attempt_number`)
    const [statesBefore, attemptsBefore] = [await rows(states), await attempts('delivery_attempts')]
    const bodiesBefore = await rows('select delivery_id, body from deliveries order by delivery_id')

    assert.ok((await migrate(ownerUrl)).includes(migrationName))

    assert.deepEqual(await rows(states), statesBefore)
    assert.deepEqual(
      await rows('select delivery_id, own_body as body from deliveries order by delivery_id'),
      bodiesBefore,
    )
    const noted = (await attempts(everyAttempt)).filter(({ started_at }) => started_at !== null)
    assert.deepEqual(noted, attemptsBefore)
    assert.deepEqual(
      await rows(
        `select delivery_id, attempt_count from deliveries where delivery_id in ('delivery_6', 'delivery_7') order by 1`,
      ),
      [
        { delivery_id: 'delivery_6', attempt_count: 6 },
        { delivery_id: 'delivery_7', attempt_count: 7 },
      ],
    )
    const forced = await rows(
      `select from pg_class where relname in ('deliveries', 'earlier_attempts') and relforcerowsecurity`,
    )
    assert.equal(forced.length, 2)
  })
})
