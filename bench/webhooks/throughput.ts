import { setTimeout as sleep } from 'node:timers/promises'
import { recordEvents } from '../../src/events/record-event.ts'
import { inTransaction } from '../../src/platform/db/database.ts'
import { startTreeTimer } from '../cpu-time.ts'
import { createSubscribers, type DeliveringService, statusChangeEvent } from './delivering-service.ts'
import type { Receivers } from './receivers.ts'

export interface Throughput {
  receivers: number
  deliveries: number
  rounds: Round[]
}

export interface Round {
  /** Deliveries a second, averaged over the round. */
  perSecond: number
  /** CPU time per delivery for each group of processes, in microseconds. */
  cpuMicros: { service: number; postgres: number; receivers: number }
}

const perTransaction = 1_000
/**
 * The time limit of a round, which a machine with no other work does not reach. If it expires, only what has arrived
 * counts.
 */
const maxMs = 30_000

/**
 * Commits `deliveries` events in one transaction. Each event belongs to a different quote and goes to a single
 * receiver. The rate covers the time from the commit to the last arrival, so it includes dispatching, leasing, signing
 * and recording. The first round opens the connections and does not count.
 */
export async function measureThroughput(
  service: DeliveringService,
  receivers: Receivers,
  { count, deliveries, rounds }: { count: number; deliveries: number; rounds: number },
): Promise<Throughput> {
  const urls = receivers.urls.slice(0, count)
  const result: Throughput = { receivers: count, deliveries, rounds: [] }
  for (let round = 0; round <= rounds; round += 1) {
    const drained = await drain(service, receivers, urls, deliveries)
    if (round > 0) result.rounds.push(drained)
  }
  return result
}

async function drain(
  service: DeliveringService,
  receivers: Receivers,
  urls: readonly string[],
  deliveries: number,
): Promise<Round> {
  await service.clear()
  const subscribers = await createSubscribers(service, urls)
  const { complete } = receivers.begin(deliveries)
  const each = deliveries / urls.length
  await inTransaction(service.db, {}, async (tx) => {
    for (let done = 0; done < each; done += perTransaction) {
      for (const { caller } of subscribers) {
        const events = Array.from({ length: Math.min(perTransaction, each - done) }, () => statusChangeEvent())
        await recordEvents(tx, caller, events)
      }
    }
  })
  const { processId, postmasterId } = service
  const timers = {
    service: startTreeTimer(processId, [postmasterId]),
    postgres: startTreeTimer(postmasterId),
    receivers: startTreeTimer(receivers.processId),
  }
  const begun = Date.now()
  await Promise.race([complete, sleep(maxMs)])
  const micros = (spent: () => number) => (spent() * 1_000) / deliveries
  const cpuMicros = {
    service: micros(timers.service),
    postgres: micros(timers.postgres),
    receivers: micros(timers.receivers),
  }
  const arrived = (await receivers.collect()).map(({ at }) => at)
  const last = arrived.reduce((one, other) => Math.max(one, other), begun + 1)
  return { perSecond: (arrived.length * 1_000) / (last - begun), cpuMicros }
}
