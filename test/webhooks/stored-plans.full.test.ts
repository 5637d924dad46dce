import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Pool } from 'pg'
import type { Tx } from '../../src/platform/db/database.ts'
import type { Sql } from '../../src/platform/db/sql.ts'
import { readBacklog } from '../../src/webhooks/delivery/backlog.store.ts'
import { dispatchEvents } from '../../src/webhooks/delivery/dispatch.store.ts'
import { type LeasedDelivery, leaseDueDeliveries, storeAttempts } from '../../src/webhooks/delivery/queue.store.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { acceptedAttempt } from './dispatching-worker-fixture.ts'

/*
 * Measures how many blocks the worker's statements read, with empty tables and with many pending deliveries (a million
 * at full size) for which PostgreSQL has no statistics yet. Unlike milliseconds, blocks are the same on every machine.
 */

const { connectionString, drop } = await createTestDatabase()
const pool = new Pool({ connectionString, max: 1, options: '-c plan_cache_mode=auto' })
after(async () => {
  await pool.end()
  await drop()
})

const webhooks = 20
const pending = isFullSize ? 1_000_000 : 60_000
/** Every 500th delivery is leased, so that there are at least a hundred leases. */
const leaseEvery = 500
/**
 * The most blocks that a statement may touch if the table is full. Depends on the depth of the indexes and the rows in
 * a batch.
 */
const mostBlocks = 15_000

before(async () => {
  await pool.query(`insert into partners (partner_id, name) values ('partner_1', 'One')`)
  await pool.query(
    `insert into webhooks (webhook_id, partner_id, url, events, status, verification)
     select 'webhook_' || n, 'partner_1', 'https://receiver.test/', '{quote.status.changed}', 'active', 'verified'
     from generate_series(1, $1) n`,
    [webhooks],
  )
})

/** The blocks that a step of the worker reads. Its changes are rolled back. */
async function blocksOf(step: (tx: Tx) => Promise<unknown>): Promise<number> {
  let blocks = 0
  const tx = {
    wakeAfterCommit: () => undefined,
    async query({ text, values }: Sql) {
      const { rows } = await pool.query(`explain (analyze, buffers, format json) ${text}`, values)
      const plan = rows[0]['QUERY PLAN'][0].Plan
      blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      return [{}]
    },
  }
  await pool.query('begin')
  await step(tx as unknown as Tx)
  await pool.query('rollback')
  return blocks
}

const limits = {
  slots: 256,
  failingSlots: 128,
  perWebhook: 16,
  perFailingWebhook: 4,
  leaseSeconds: 20,
  requireVerification: false,
}

const steps: Record<string, (tx: Tx) => Promise<unknown>> = {
  dispatch: (tx) => dispatchEvents(tx, 10),
  lease: (tx) => leaseDueDeliveries(tx, limits, new Map([['webhook_1', 16]])),
  record: (tx) =>
    storeAttempts(
      tx,
      Array.from({ length: 100 }, (_, index) => ({
        delivery: {
          deliveryId: `delivery_${(index + 1) * leaseEvery}`,
          leaseId: 'claim',
          url: 'https://localhost/hook',
          attemptCount: 0,
        } as LeasedDelivery,
        attempt: acceptedAttempt,
        retryInMs: null,
      })),
    ),
  backlog: (tx) => readBacklog(tx, { requireVerification: false }),
}

test('each step of the worker reads only the rows that it works on, however many deliveries are pending', async () => {
  const empty = await costs()
  await pool.query(
    `insert into events (event_id, partner_id, quote_id, type, data, dispatched_at, position)
     select 'event_' || n, 'partner_1', 'quote_' || n / 4, 'quote.status.changed', '{}', case when n <= $1
       then now() end,
       case when n <= $1 then n end
     from generate_series(1, $1::integer + 1000) n`,
    [pending],
  )
  await pool.query(
    `insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id,
     event_number, in_order, lease_id)
     select 'delivery_' || n, 'partner_1', 'webhook_' || 1 + n / 4 % $2, 'event_' || n, 'event_' || n,
       'quote.status.changed', 'quote_' || n / 4, n, true,
       case when n % $3 = 0 then 'claim' end
     from generate_series(1, $1::integer) n`,
    [pending, webhooks, leaseEvery],
  )
  const full = await costs()
  for (const name of Object.keys(steps)) {
    const [one = 0, other = 0] = [empty.get(name), full.get(name)]
    assert.ok(one < 300 && other < mostBlocks, `${name}: ${one} blocks when empty, ${other} when full`)
  }
})

async function costs(): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const [name, step] of Object.entries(steps)) found.set(name, await blocksOf(step))
  return found
}
