import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordEvents } from '../../src/domain/events/record-event.ts'
import { newId } from '../../src/kernel/ids.ts'
import { countCpuTime } from '../cpu-time.ts'
import type { BareOrder } from './bare-posts-process.ts'
import { commit, type DeliveringService } from './delivering-service.ts'
import type { PlainOrder } from './plain-sender-process.ts'
import type { Receivers } from './receivers.ts'
import { statusChange } from './status-change.ts'
import { subscribeEach } from './subscribe-each.ts'

/** The service, undici alone, and the least that is durable, in turn, each delivering as many. */
export interface Throughput {
  receivers: number
  deliveries: number
  /** One for each round. */
  service: Round<'service' | 'postgres' | 'receivers'>[]
  bare: Round<'client' | 'receivers'>[]
  plain: Round<'client' | 'postgres' | 'receivers'>[]
}

export interface Round<Part extends string> {
  /** Deliveries a second, sustained over the whole backlog. */
  perSecond: number
  /** What a delivery cost of a processor's time in each process, or group of them, in microseconds. */
  cpuMicros: Record<Part, number>
}

const perTransaction = 1_000
/** Longer than a quiet machine needs for all; what arrived until then is what counts. */
const mostMs = 20_000
/** As many as the service itself opens: 16 to one receiver, 256 in all. */
const connectionsTo = (receivers: number) => Math.max(1, Math.min(16, Math.floor(256 / receivers)))

/**
 * So many events become visible at once, each of a quote of its own and for one receiver; the rate is taken from their commit
 * until the last has arrived, or for twenty seconds, dispatching, leasing, signing and recording included. In turn with the bare
 * POSTs. A round of each goes before that counts for neither: it opens the connections and lets both programs be compiled.
 */
export async function measureThroughput(
  service: DeliveringService,
  receivers: Receivers,
  { count, deliveries, rounds }: { count: number; deliveries: number; rounds: number },
): Promise<Throughput> {
  const urls = receivers.urls.slice(0, count)
  const connections = String(connectionsTo(count))
  const bare = fork(new URL('bare-posts-process.ts', import.meta.url), [connections])
  const plain = fork(new URL('plain-sender-process.ts', import.meta.url), [service.connectionString, connections])
  const result: Throughput = { receivers: count, deliveries, service: [], bare: [], plain: [] }
  for (let round = 0; round <= rounds; round += 1) {
    const ofBare = await barePosts(bare, receivers, urls, deliveries)
    const ofPlain = await plainPosts(plain, service, receivers, urls, deliveries)
    const ofService = await drain(service, receivers, urls, deliveries)
    if (round === 0) continue
    result.bare.push(ofBare)
    result.plain.push(ofPlain)
    result.service.push(ofService)
  }
  for (const child of [bare, plain]) {
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
  }
  return result
}

async function drain(
  service: DeliveringService,
  receivers: Receivers,
  urls: readonly string[],
  deliveries: number,
): Promise<Throughput['service'][number]> {
  await service.clear()
  const subscribers = await subscribeEach(service, urls)
  const { complete } = receivers.begin(deliveries)
  const each = deliveries / urls.length
  await commit(service.db, async (tx) => {
    for (let done = 0; done < each; done += perTransaction) {
      for (const { caller } of subscribers) {
        const events = Array.from({ length: Math.min(perTransaction, each - done) }, () => statusChange(newId('quote')))
        await recordEvents(tx, caller, events)
      }
    }
  })
  const cpuTime = {
    service: countCpuTime(known(service.processId)),
    postgres: countCpuTime(await service.postgresProcessIds()),
    receivers: countCpuTime(known(receivers.processId)),
  }
  const begun = Date.now()
  await Promise.race([complete, sleep(mostMs)])
  const micros = (milliseconds: number) => (milliseconds * 1_000) / deliveries
  const cpuMicros = {
    service: micros(cpuTime.service()),
    receivers: micros(cpuTime.receivers()),
    postgres: micros(cpuTime.postgres(await service.postgresProcessIds())),
  }
  const arrived = (await receivers.collect()).map(({ at }) => at)
  const last = arrived.reduce((one, other) => Math.max(one, other), begun + 1)
  return { perSecond: (arrived.length * 1_000) / (last - begun), cpuMicros }
}

const known = (processId: number | undefined): number[] => (processId === undefined ? [] : [processId])

const exampleBody = () =>
  JSON.stringify({
    id: newId('event'),
    type: 'quote.status.changed',
    timestamp: new Date().toISOString(),
    data: statusChange(newId('quote')).data,
  })

async function barePosts(
  bare: ChildProcess,
  receivers: Receivers,
  urls: readonly string[],
  posts: number,
): Promise<Throughput['bare'][number]> {
  const order: BareOrder = {
    urls,
    body: exampleBody(),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Housebill-Webhooks/1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    },
    posts,
  }
  const { complete } = receivers.begin(posts)
  const cpuTime = { client: countCpuTime(known(bare.pid)), receivers: countCpuTime(known(receivers.processId)) }
  const done = once(bare, 'message')
  bare.send(order)
  await Promise.all([complete, done])
  const cpuMicros = { client: (cpuTime.client() * 1_000) / posts, receivers: (cpuTime.receivers() * 1_000) / posts }
  const times = (await receivers.collect()).map(({ at }) => at)
  const first = times.reduce((one, other) => Math.min(one, other))
  const last = times.reduce((one, other) => Math.max(one, other))
  return { perSecond: (posts * 1_000) / (last - first), cpuMicros }
}

/** The messages are there before the clock starts, as the service's events are. */
async function plainPosts(
  plain: ChildProcess,
  service: DeliveringService,
  receivers: Receivers,
  urls: readonly string[],
  posts: number,
): Promise<Throughput['plain'][number]> {
  await service.db.pool.query(`
    create schema if not exists benchmark;
    drop table if exists benchmark.messages, benchmark.sent;
    create table benchmark.messages (number integer primary key, message_id text not null, body text not null);
    create table benchmark.sent (id text primary key, message_id text not null, status text not null, started_at timestamptz,
      duration_ms integer, request_headers json, response_status integer) with (fillfactor = 50)`)
  await service.db.pool.query(
    `insert into benchmark.messages select n, $1 || n, $2 from generate_series(1, $3::integer) n`,
    [newId('event'), exampleBody(), posts],
  )
  await service.db.pool.query('analyze benchmark.messages')
  const { complete } = receivers.begin(posts)
  const cpuTime = {
    client: countCpuTime(known(plain.pid)),
    postgres: countCpuTime(await service.postgresProcessIds()),
    receivers: countCpuTime(known(receivers.processId)),
  }
  const done = once(plain, 'message')
  const begun = Date.now()
  plain.send({ urls, posts } satisfies PlainOrder)
  await Promise.all([complete, done])
  const micros = (milliseconds: number) => (milliseconds * 1_000) / posts
  const cpuMicros = {
    client: micros(cpuTime.client()),
    receivers: micros(cpuTime.receivers()),
    postgres: micros(cpuTime.postgres(await service.postgresProcessIds())),
  }
  const last = (await receivers.collect()).reduce((latest, { at }) => Math.max(latest, at), begun + 1)
  return { perSecond: (posts * 1_000) / (last - begun), cpuMicros }
}
