import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Pool } from 'pg'
import { eventTypes } from '../../src/events/event.ts'
import type { Queryable } from '../../src/platform/db/database.ts'
import { type Sql, sql } from '../../src/platform/db/sql.ts'
import { type DeliveryFilter, deliveredTypes, deliveryStatuses } from '../../src/webhooks/delivery/delivery.ts'
import { listEvents } from '../../src/webhooks/event-log/event-log.store.ts'
import type { EventFilter, EventOrder } from '../../src/webhooks/event-log/logged-event.ts'
import { listDeliveries } from '../../src/webhooks/history/delivery-log.store.ts'
import { openDatabases } from '../support/databases.ts'
import { createTestDatabase } from '../support/postgres.ts'

/*
 * Measures how many blocks must be read for a page, wherever it is in a long history and however rare the matches are.
 * Unlike milliseconds, blocks are the same on every machine.
 */

const { connectionString, drop } = await createTestDatabase()
const pool = new Pool({ connectionString, max: 1, pipeline: true })
const databases = await openDatabases(connectionString)
const partnerId = 'partner_1'
const webhookId = 'webhook_1'
const rows = 90_000

before(async () => {
  await pool.query(`insert into partners (partner_id, name) values ('partner_1', 'One')`)
  await pool.query(`insert into webhooks (webhook_id, partner_id, url, events, status, verification)
    values ('webhook_1', 'partner_1', 'https://receiver.test/', '{quote.status.changed}', 'active', 'verified')`)
  await pool.query(`select make_delivery_history_partition(day::date)
    from generate_series(now() - interval '22 days', now(), interval '1 day') day`)
  await pool.query(
    `with told as (
       insert into events (event_id, partner_id, quote_id, type, data, occurred_at, dispatched_at, position)
       select 'event_' || lpad(n::text, 26, '0'), 'partner_1', 'quote_' || n / 4,
         case when n = 7 then 'customer.payment.updated' else 'quote.status.changed' end, '{}', at, at, n
       from generate_series(1, $1) n, lateral (select now() - (($1 - n) * 30 || ' seconds')::interval as at) t
       returning *
     )
     insert into delivery_history (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id,
       event_number,
       status, attempt_count, created_at, finished_at)
     select replace(event_id, 'event', 'delivery'), partner_id, 'webhook_1', event_id, event_id, type, quote_id,
       event_number,
       case when event_number = 9 then 'failed' else 'delivered' end, 1, occurred_at, occurred_at from told`,
    [rows],
  )
  // Vacuums the tables, as autovacuum would have done in an old history.
  await pool.query('vacuum analyze events')
  await pool.query('vacuum analyze delivery_history')
})

after(async () => {
  await pool.end()
  await drop()
})

/**
 * Runs statements under EXPLAIN and adds up the blocks they read. Runs as the partner, like a request: under row-level
 * security, a condition that is not leakproof cannot use an index.
 */
function metered(): Queryable & { blocks: number } {
  const db = databases.forPartner(partnerId)
  const meter = {
    blocks: 0,
    async query<Row>(statement: Sql): Promise<Row[]> {
      const explaining = sql`explain (analyze, buffers, format json) ${statement}`
      const [explained] = await db.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(explaining)
      const plan = explained?.['QUERY PLAN'][0]?.Plan
      assert.ok(plan !== undefined)
      meter.blocks += Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks'])
      return []
    },
  }
  return meter
}

/**
 * How many blocks PostgreSQL may read for a page of twenty. A page of deliveries needs one index lookup in each of 25
 * partitions for each status and type.
 */
const page = { limit: 20, mostBlocks: 250, mostOfDeliveries: 200 * deliveredTypes.length }
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)

test('reading a page of deliveries takes the same few blocks, with every filter and anywhere in the history', async () => {
  const [total] = (
    await pool.query(
      `select sum(pg_relation_size(inhrelid)) / 8192 as blocks from pg_inherits
       where inhparent = 'delivery_history'::regclass`,
    )
  ).rows
  assert.ok(Number(total.blocks) > page.mostOfDeliveries * 1.5, `${total.blocks}`)
  const times = [{}, { createdBefore: ago(480) }, { createdAfter: ago(400), createdBefore: ago(200) }]
  const costs: [string, number][] = []
  for (const status of [undefined, ...deliveryStatuses]) {
    for (const type of [undefined, ...deliveredTypes]) {
      for (const time of times) {
        for (const after of [
          undefined,
          { deliveryId: 'delivery_1' as const, createdMicros: String(ago(300).getTime() * 1_000) },
        ]) {
          const meter = metered()
          const filter: DeliveryFilter = { status, type, createdAfter: undefined, createdBefore: undefined, ...time }
          await listDeliveries(meter, partnerId, webhookId, filter, { after, limit: page.limit })
          costs.push([JSON.stringify({ status, type, time, after }), meter.blocks])
        }
      }
    }
  }
  assert.deepEqual(
    costs.filter(([, blocks]) => blocks > page.mostOfDeliveries),
    [],
  )
})

test('listing a page of events reads only a few blocks, in either order, with any filter and anywhere in the history', async () => {
  const times = [
    {},
    { createdAfter: ago(1) },
    { createdBefore: ago(480) },
    { createdAfter: ago(400), createdBefore: ago(399) },
  ]
  const costs: [string, number][] = []
  for (const types of [eventTypes, ...eventTypes.map((type) => [type])]) {
    for (const time of times) {
      for (const order of ['newest', 'oldest'] as const satisfies readonly EventOrder[]) {
        for (const quoteId of [undefined, 'quote_77']) {
          for (const past of [undefined, '10000']) {
            const meter = metered()
            const filter: EventFilter = { types, quoteId, createdAfter: undefined, createdBefore: undefined, ...time }
            await listEvents(meter, partnerId, filter, { order, past, limit: page.limit })
            costs.push([JSON.stringify({ types, time, order, quoteId, past }), meter.blocks])
          }
        }
      }
    }
  }
  assert.deepEqual(
    costs.filter(([, blocks]) => blocks > page.mostBlocks),
    [],
  )
})
