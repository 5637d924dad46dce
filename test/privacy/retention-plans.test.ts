import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Pool } from 'pg'
import type { Database } from '../../src/platform/db/database.ts'
import type { Sql } from '../../src/platform/db/sql.ts'
import { deleteExpiredIdempotencyKeys } from '../../src/platform/idempotency/idempotency.store.ts'
import { deleteOldEvents, listOldEventSeries } from '../../src/webhooks/history/retention.store.ts'
import { createTestDatabase } from '../support/postgres.ts'

/*
 * Asks PostgreSQL how it would find what is to be removed from tables with many rows that it has not analysed, of which
 * one in a hundred is old. A plan that reads whole tables would take longer every day.
 */

const { connectionString, drop } = await createTestDatabase()
const pool = new Pool({ connectionString, max: 1 })
after(async () => {
  await pool.end()
  await drop()
})

before(async () => {
  await pool.query(`
    set session_replication_role = replica;
    insert into idempotency_keys (partner_id, key, request_sha256, claim_id, claimed_until, created_at, expires_at)
      select 'partner_1', 'key ' || n, repeat('hash', 10), 'claim', now(), now(), now() + (n - 600) * interval '10 seconds'
        from generate_series(1, 60000) n;
    insert into events (event_id, partner_id, quote_id, type, data, occurred_at, dispatched_at, position)
      select 'event_' || n, 'partner_' || n % 3, 'quote_' || n, 'type ' || n % 5, '{}', at, at, n
        from generate_series(1, 60000) n,
          lateral (select now() - interval '31 days' + (n - 600) * interval '1 minute' as at) t`)
})

/** What the plan of each statement reads as a whole, other than small results of its own. */
async function wholeTablesReadBy(step: (db: Database) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = []
  const db = {
    async query({ text, values }: Sql) {
      const { rows } = await pool.query(`explain ${text}`, values)
      plans.push(...rows.map((row) => String(row['QUERY PLAN'])))
      return []
    },
  }
  await step(db as unknown as Database)
  assert.ok(plans.length > 0)
  return plans.filter((line) => /Seq Scan on (events|idempotency_keys)\b/.test(line))
}

const series = { partnerId: 'partner_1', type: 'type 1' }
const after1 = { occurredAt: '2026-01-01 00:00:00+00', position: '5' }

for (const [what, step] of Object.entries({
  'old stored responses': (db: Database) => deleteExpiredIdempotencyKeys(db, new Date(), 500),
  'which events are old': (db: Database) => listOldEventSeries(db),
  'the first old events': (db: Database) => deleteOldEvents(db, series, { after: undefined, limit: 100 }),
  'the next old events': (db: Database) => deleteOldEvents(db, series, { after: after1, limit: 100 }),
})) {
  test(`${what}: they are found by an index, however many others there are`, async () => {
    assert.deepEqual(await wholeTablesReadBy(step), [])
  })
}
