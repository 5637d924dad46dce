import { setTimeout as sleep } from 'node:timers/promises'
import { credentials } from '../child-service.ts'
import { loadInBulk } from '../load-in-bulk.ts'
import { connectLoadGenerator } from '../partner-load.ts'
import type { LoadResult } from '../steady-load.ts'
import { createSubscribers } from './create-subscribers.ts'
import type { DeliveringService, Subscriber } from './delivering-service.ts'
import { type Latencies, measureLatency } from './latency.ts'
import type { Receivers } from './receivers.ts'

/** Measurements under the same load, without a backlog of deliveries and with one. */
export interface Backlog {
  pending: number
  without: UnderLoad
  with: UnderLoad
}

interface UnderLoad {
  /** Memory of the service's process in MiB: before the load, and the highest sample during it. */
  residentMiB: { before: number; peak: number }
  /** The results of the API requests made during the load. None of them calls an upstream. */
  api: LoadResult
  /** The latencies of deliveries to healthy receivers. */
  deliveries: Latencies
}

const healthyReceivers = 10
/** The number of receivers with a backlog: they accept every message and never respond. */
const backlogged = 20
const load = { eventsPerSecond: 100, requestsPerSecond: 100, seconds: 10 }

export async function measureBacklog(
  service: DeliveringService,
  receivers: Receivers,
  pending: number,
): Promise<Backlog> {
  await service.clear()
  const healthy = await createSubscribers(service, receivers.urls.slice(0, healthyReceivers))
  const without = await measureUnderLoad(service, receivers, healthy, [])
  const silent = receivers.urls.slice(healthyReceivers, healthyReceivers + backlogged)
  const hanging = silent.map((_url, index) => healthyReceivers + index)
  receivers.begin(0, hanging)
  const behind = await service.subscribe(silent)
  await queue(service, behind, pending)
  return {
    pending,
    without,
    with: await measureUnderLoad(service, receivers, healthy, hanging),
  }
}

async function measureUnderLoad(
  service: DeliveringService,
  receivers: Receivers,
  subscribers: readonly Subscriber[],
  hanging: readonly number[],
): Promise<UnderLoad> {
  const partner = await connectLoadGenerator(service.baseUrl, credentials)
  await partner.forgetChecks()
  const before = await service.residentMiB()
  let peak = before
  let isOver = false
  const sample = async () => {
    while (!isOver) {
      peak = Math.max(peak, await service.residentMiB())
      await sleep(500)
    }
  }
  const { eventsPerSecond, requestsPerSecond, seconds } = load
  const both = Promise.all([
    measureLatency(service, receivers, { subscribers, eventsPerSecond, seconds, hanging }),
    partner.load(requestsPerSecond, seconds),
  ]).finally(() => {
    isOver = true
  })
  const [[deliveries, { unaffected }]] = await Promise.all([both, sample()])
  await partner.close()
  return { residentMiB: { before, peak }, api: unaffected, deliveries }
}

/**
 * Writes the deliveries that an outage of their receivers leaves behind. All are due, but two out of three wait for an earlier delivery
 * of their quote.
 */
async function queue({ db }: DeliveringService, { caller, webhookIds }: Subscriber, pending: number): Promise<void> {
  await loadInBulk(db, async (client) => {
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
      `insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id, event_number,
         in_order)
       select 'delivery_backlog_' || n, $1, ($2::text[])[1 + n / 3 % cardinality($2::text[])], 'event_backlog_' || n,
         'event_backlog_' || n, 'quote.status.changed', 'quote_backlog_' || n / 3, n,
         true
       from generate_series(1, $3::integer) n`,
      [caller.partnerId, webhookIds, pending],
    )
  })
}
