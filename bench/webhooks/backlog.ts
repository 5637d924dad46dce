import type { PoolClient } from 'pg'
import { connectApi } from '../api-client.ts'
import { preparePartnerMix, type SendOfMix } from '../partner-mix.ts'
import { residentMemory } from '../resident-memory.ts'
import type { Run } from '../scenario.ts'
import type { LoadResult } from '../steady-load.ts'
import { runSteadyLoad } from '../steady-load.ts'
import { withoutIndexes } from '../without-indexes.ts'
import { createSubscribers, type DeliveringService, type Subscriber } from './delivering-service.ts'
import { type Latencies, measureLatency } from './latency.ts'
import type { Receivers } from './receivers.ts'

/** What was measured under the same load, without a backlog of deliveries and with one. */
export interface UnderLoad {
  /** Memory of the service at the end, in MiB. */
  serviceMiB: number
  /** The results of the API requests made during the load. */
  api: LoadResult
  /** The latencies of deliveries to healthy receivers. */
  deliveries: Latencies
}

const healthyReceivers = 10
/** The number of receivers with a backlog: they accept every message and never respond. */
const backlogged = 20
const eventsPerSecond = 100
const requestsPerSecond = 100

export async function measureBacklog(
  run: Run,
  service: DeliveringService,
  receivers: Receivers,
  { pending, seconds }: { pending: number; seconds: number },
): Promise<{ without: UnderLoad; with: UnderLoad }> {
  const sendMix = await preparePartnerMix(await connectApi(run, service.url))
  await service.clear()
  const subscribers = await createSubscribers(service, receivers.urls.slice(0, healthyReceivers))
  const measure = (hanging: readonly number[]) =>
    measureUnderLoad(service, receivers, { subscribers, hanging, seconds, sendMix })
  const without = await measure([])
  const silent = receivers.urls.slice(healthyReceivers, healthyReceivers + backlogged)
  const hanging = silent.map((_url, index) => healthyReceivers + index)
  receivers.begin(0, hanging)
  await queue(service, await service.subscribe(silent), pending)
  run.say(`wrote ${pending} pending deliveries`)
  return { without, with: await measure(hanging) }
}

async function measureUnderLoad(
  service: DeliveringService,
  receivers: Receivers,
  {
    sendMix,
    ...load
  }: { subscribers: readonly Subscriber[]; hanging: readonly number[]; seconds: number; sendMix: SendOfMix },
): Promise<UnderLoad> {
  const [deliveries, api] = await Promise.all([
    measureLatency(service, receivers, { ...load, eventsPerSecond }),
    runSteadyLoad(requestsPerSecond, load.seconds, sendMix),
  ])
  return { serviceMiB: residentMemory(service).service, api, deliveries }
}

/**
 * Writes the deliveries that an outage of their receivers leaves behind, much faster than the service could: in one
 * transaction, without foreign key checks and triggers. All are due, but two out of three wait for an earlier delivery
 * of their quote.
 */
async function queue({ pool }: DeliveringService, subscriber: Subscriber, pending: number): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query("set statement_timeout = '4min'")
    await client.query('begin')
    await client.query("set local maintenance_work_mem = '256MB'")
    await client.query('set local session_replication_role = replica')
    await withoutIndexes(client, ['events', 'delivery_queue'], () => insert(client, subscriber, pending))
    // Statements that wait for this transaction are planned at its commit, and plans that were made for empty tables
    // would take seconds.
    await client.query('analyze events, delivery_queue')
    await client.query('commit')
    await client.query('vacuum analyze events, delivery_queue, delivery_history')
    await client.query('checkpoint')
  } finally {
    // Closes the connection, because its settings must not affect other users of the pool.
    client.release(true)
  }
}

async function insert(client: PoolClient, { caller, webhookIds }: Subscriber, pending: number): Promise<void> {
  await client.query(
    `insert into events (event_id, partner_id, quote_id, type, data, dispatched_at, position)
     select 'event_backlog_' || n, $1, 'quote_backlog_' || n / 3, 'quote.status.changed',
       json_build_object('quoteId', 'quote_backlog_' || n / 3, 'reference', 'benchmark', 'previousStatus', 'draft',
         'status', 'PackagesSelected', 'reason', null),
       clock_timestamp(), nextval('event_positions')
     from generate_series(1, $2::integer) n`,
    [caller.partnerId, pending],
  )
  await client.query(
    `insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id,
     event_number,
       in_order)
     select 'delivery_backlog_' || n, $1, ($2::text[])[1 + n / 3 % cardinality($2::text[])], 'event_backlog_' || n,
       'event_backlog_' || n, 'quote.status.changed', 'quote_backlog_' || n / 3, n,
       true
     from generate_series(1, $3::integer) n`,
    [caller.partnerId, webhookIds, pending],
  )
}
