import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { migrate } from '../../src/db/migrate.ts'
import { createDatabaseBefore } from '../isolation/database-before.ts'
import { withClient } from '../isolation/owned-tables.ts'
import { everyAttempt } from '../support/every-attempt.ts'

/*
 * Migration 0031 moves the rows of two tables into two others. It runs as an owner who is not a superuser, and who sees no rows while
 * row-level security is forced.
 */
const migrationName = '0031-delivery-queue-and-history.sql'
const database = await createDatabaseBefore(migrationName)
after(() => database.stop())
const { connectionString, ownerUrl } = database

test('the migration keeps every attempt, state and message of all deliveries', async () => {
  await withClient(connectionString, async (superuser) => {
    const rows = async (text: string) => (await superuser.query(text)).rows
    await superuser.query(`
      insert into partners (partner_id, name) values ('partner_1', 'One');
      insert into webhooks (webhook_id, partner_id, url, events, status, verification)
        values ('webhook_1', 'partner_1', 'https://receiver.test', '{quote.status.changed}', 'active', 'verified');
      insert into events (event_id, partner_id, quote_id, type, data)
        select 'event_' || n, 'partner_1', 'quote_' || n, 'quote.status.changed', '{}' from generate_series(0, 8) n;
      -- Of today, five days ago, and so long ago that there will be no partition for it.
      insert into deliveries (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id, event_number, status,
        attempt_count, round_start, in_order, next_attempt_at, lease_id, leased_until, created_at, finished_at, last_started_at,
        last_duration_ms, last_request_headers, last_response_status, last_response_body)
        select 'delivery_' || n, partner_id, 'webhook_1', event_id, event_id, type, quote_id, event_number,
          (array['pending', 'delivered', 'failed'])[1 + n % 3], n, case n when 6 then 7 when 3 then 2 else 0 end, n = 0,
          case when n in (3, 6) then now() end, case n when 6 then 'lease' end, case n when 6 then now() + interval '1 hour' end,
          now() - (array[0, 5, 100])[1 + n / 3] * interval '1 day', case when n % 3 > 0 then now() end,
          case when n > 0 then now() end, case when n > 0 then n end, case when n > 0 then '{"webhook-id":"a"}'::json end,
          case when n = 2 then 410 when n > 0 then 500 + n end, case when n > 0 then 'answer ' || n end
        from events cross join lateral (select split_part(event_id, '_', 2)::integer as n) number;
      insert into earlier_attempts (delivery_id, attempt_number, partner_id, started_at, duration_ms, request_headers, response_status,
        response_body, error)
        select delivery_id, n, partner_id, now(), n, '{"webhook-id":"a"}', 500 + n, repeat('long ', 800) || n, 'error ' || n
        from deliveries cross join lateral generate_series(1, attempt_count - 1) n;
      insert into deliveries (delivery_id, partner_id, webhook_id, message_id, event_type, own_body, status, attempt_count, next_attempt_at)
        values ('delivery_own', 'partner_1', 'webhook_1', 'message_1', 'webhook.verification', 'own', 'pending', 0, now())`)
    const lasting = `delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id, own_body, created_at,
      status, finished_at, attempt_count`
    const states = () => rows(`select ${lasting} from deliveries order by delivery_id`)
    const before = await states()
    const attemptsBefore = await rows(`
      select delivery_id, attempt_number, started_at, duration_ms, response_status, response_body, error from earlier_attempts
      union all select delivery_id, attempt_count, last_started_at, last_duration_ms, last_response_status, last_response_body, last_error
        from deliveries where last_started_at is not null
      order by 1, 2`)

    assert.ok((await migrate(ownerUrl)).includes(migrationName))

    assert.deepEqual(await states(), before)
    const attempts = `select delivery_id, attempt_number, started_at, duration_ms, response_status, response_body, error
      from ${everyAttempt} a order by 1, 2`
    assert.deepEqual(await rows(attempts), attemptsBefore)
    assert.deepEqual(
      await rows(
        'select delivery_id, in_order, round_attempts, restart, lease_id from delivery_queue where is_event order by 1',
      ),
      [
        { delivery_id: 'delivery_0', in_order: true, round_attempts: 0, restart: false, lease_id: null },
        { delivery_id: 'delivery_3', in_order: false, round_attempts: 1, restart: false, lease_id: null },
        { delivery_id: 'delivery_6', in_order: false, round_attempts: 0, restart: true, lease_id: 'lease' },
      ],
    )
    const [{ ended }] = await rows(
      `select json_object_agg(delivery_id, given_up_because order by delivery_id) as ended from delivery_history where status = 'failed'`,
    )
    assert.deepEqual(ended, { delivery_2: 'webhook_disabled', delivery_5: null, delivery_8: null })
    const others = await rows('select delivery_id from delivery_history_other order by 1')
    assert.deepEqual(others, [{ delivery_id: 'delivery_7' }, { delivery_id: 'delivery_8' }])
  })
})
