import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pool } from 'pg'
import { createDatabases } from '../../src/db/databases.ts'
import { dispatchEvents, fewEvents } from '../../src/domain/webhooks/delivery/dispatch-events.ts'
import { recordAttempts } from '../../src/domain/webhooks/delivery/record-attempts.ts'
import { accepted, worker } from './dispatching-worker-fixture.ts'
import { openLab, quoteStory, type WebhookLab } from './webhook-fixture.ts'

/** Deliveries in the full table. */
const history = 60_000
/** What every new row costs in its indexes included; a third of the table, once it is full. */
const mostBlocks = 1_000

/** Dispatched events of a quote each, and a delivery of each to every webhook: half delivered, the others pending, a third of these for a retry. */
const fill = `
  with told as (
    insert into events (event_id, partner_id, quote_id, type, data, dispatched_at, position)
    select 'event_history_' || n, $1, 'quote_history_' || n / 3, 'quote.status.changed', '{}', now(), n from generate_series(1, $2) n
    returning *
  )
  insert into deliveries (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id, event_number, status, in_order,
    next_attempt_at, attempt_count, finished_at)
  select 'delivery_' || event_number || right(webhook_id, 20), $1, webhook_id, event_id, event_id, type, quote_id, event_number,
    case when is_done then 'delivered' else 'pending' end, not is_done,
    case when not is_done and event_number % 3 = 0 then now() + interval '1 hour' end,
    case when is_done then 1 else 0 end, case when is_done then now() end
  from told cross join webhooks cross join lateral (select event_number % 2 = 0 as is_done) state`
const fillWebhooks = `
  insert into webhooks (webhook_id, partner_id, url, events, status, verification)
  select 'webhook_other_' || n, $1, 'https://receiver.test/', '{quote.status.changed}', 'active', 'verified' from generate_series(1, 5000) n`

/** Two events of one quote on their whole way to every webhook, over this connection; returns how many blocks it looked at for it. */
async function blocksOfOneQuote(lab: WebhookLab, pool: Pool, webhooks: number): Promise<number> {
  const db = createDatabases(pool).system
  const blocks = async (): Promise<number> => {
    await pool.query('select pg_stat_force_next_flush()')
    const { rows } = await pool.query(
      `select sum(hits + coalesce(reads, 0))::integer as blocks from pg_stat_get_backend_io(pg_backend_pid()) where object = 'relation'`,
    )
    return rows[0].blocks
  }
  await lab.happen(quoteStory(2))
  const before = await blocks()
  const { leased, events } = await dispatchEvents({ db }, fewEvents, worker())
  assert.deepEqual([events, leased.length], [2, webhooks])
  const ended = leased.map((delivery) => ({ delivery, attempt: accepted }))
  const { released } = await recordAttempts({ db, retrySeconds: [], random: Math.random }, ended)
  assert.equal(released, webhooks)
  const after = await blocks()
  await lab.rows(
    `update deliveries set status = 'delivered' where status = 'pending' and event_id not like 'event_history%'`,
  )
  return after - before
}

for (const { tables, webhooks, quotesBefore } of [
  { tables: 'empty', webhooks: 3, quotesBefore: 0 },
  { tables: 'tiny', webhooks: 1, quotesBefore: 1 },
]) {
  test(`plans, when they were made for ${tables} tables and the tables fill, still step through indexes from row to row`, async (t) => {
    const lab = await openLab(t)
    const pool = new Pool({ connectionString: lab.connectionString, max: 1, pipeline: true })
    try {
      for (let count = 0; count < webhooks; count += 1) await lab.register({ url: 'https://receiver.test/' })
      await lab.rows('delete from deliveries')
      for (let quote = 0; quote < quotesBefore; quote += 1) await blocksOfOneQuote(lab, pool, webhooks)
      for (const table of ['partners', 'webhooks', 'webhook_secrets', 'events', 'deliveries', 'earlier_attempts']) {
        await lab.rows(`alter table ${table} set (autovacuum_enabled = false)`)
        await lab.rows(`vacuum analyze ${table}`)
      }
      for (let quote = 0; quote < 3; quote += 1) await blocksOfOneQuote(lab, pool, webhooks)
      await lab.rows(fill, [lab.caller.partnerId, history / webhooks])
      await lab.rows(fillWebhooks, [(await lab.newPartner()).partnerId])
      const { rows: plans } = await pool.query(
        `select custom_plans from pg_prepared_statements where statement like '/* few */%' and generic_plans >= 3`,
      )
      assert.ok(plans.length >= 5 && plans.every(({ custom_plans }) => custom_plans === '0'))
      const [size] = await lab.rows(`select pg_relation_size('deliveries') / 8192 as blocks`)
      assert.ok(Number(size?.blocks) > 3 * mostBlocks)
      const found = await blocksOfOneQuote(lab, pool, webhooks)
      assert.ok(found < mostBlocks, `${found} blocks`)
    } finally {
      await pool.end()
    }
  })
}
