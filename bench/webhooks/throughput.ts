import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../src/domain/kernel/ids.ts'
import { recordEvents } from '../../src/events/record-event.ts'
import { countCpuTime } from '../cpu-time.ts'
import type { BareOrder } from './bare-posts-process.ts'
import { commit, type DeliveringService } from './delivering-service.ts'
import type { Receivers } from './receivers.ts'
import { statusChange } from './status-change.ts'
import { subscribeEach } from './subscribe-each.ts'

/** The service and undici alone, in turn, each delivering as many. */
export interface Throughput {
  receivers: number
  deliveries: number
  /** One for each round. */
  service: Round<'service' | 'postgres' | 'receivers'>[]
  bare: Round<'client' | 'receivers'>[]
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
  const bare = startBare(urls)
  const result: Throughput = { receivers: count, deliveries, service: [], bare: [] }
  for (let round = 0; round <= rounds; round += 1) {
    const ofBare = await barePosts(bare, receivers, urls, deliveries)
    const ofService = await drain(service, receivers, urls, deliveries)
    if (round === 0) continue
    result.bare.push(ofBare)
    result.service.push(ofService)
  }
  const ended = once(bare, 'exit')
  bare.disconnect()
  await ended
  return result
}

function startBare(urls: readonly string[]): ChildProcess {
  return fork(new URL('bare-posts-process.ts', import.meta.url), [String(connectionsTo(urls.length))])
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
  const micros = (spent: () => number) => (spent() * 1_000) / deliveries
  const cpuMicros = {
    service: micros(cpuTime.service),
    postgres: micros(cpuTime.postgres),
    receivers: micros(cpuTime.receivers),
  }
  const arrived = (await receivers.collect()).map(({ at }) => at)
  const last = arrived.reduce((one, other) => Math.max(one, other), begun + 1)
  return { perSecond: (arrived.length * 1_000) / (last - begun), cpuMicros }
}

const known = (processId: number | undefined): number[] => (processId === undefined ? [] : [processId])

async function barePosts(
  bare: ChildProcess,
  receivers: Receivers,
  urls: readonly string[],
  posts: number,
): Promise<Throughput['bare'][number]> {
  const order: BareOrder = {
    urls,
    body: JSON.stringify({
      id: newId('event'),
      type: 'quote.status.changed',
      timestamp: new Date().toISOString(),
      data: statusChange(newId('quote')).data,
    }),
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
