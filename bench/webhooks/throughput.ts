import { setTimeout as sleep } from 'node:timers/promises'
import { recordEvents } from '../../src/domain/events/record-event.ts'
import { newId } from '../../src/kernel/ids.ts'
import { countCpuTime } from '../cpu-time.ts'
import { commit, type DeliveringService } from './delivering-service.ts'
import type { Receivers } from './receivers.ts'
import { statusChange } from './status-change.ts'
import { subscribeEach } from './subscribe-each.ts'

export interface Throughput {
  receivers: number
  deliveries: number
  rounds: Round[]
}

export interface Round {
  /** Deliveries a second, sustained over the whole backlog. */
  perSecond: number
  /** What a delivery cost of a processor's time in each group of processes, in microseconds. */
  cpuMicros: { service: number; postgres: number; receivers: number }
}

const perTransaction = 1_000
/** Longer than a quiet machine needs for all; what arrived until then is what counts. */
const maxMs = 30_000

/**
 * So many events become visible at once, each of a quote of its own and for one receiver; the rate is taken from their commit until the last
 * has arrived, dispatching, leasing, signing and recording included. A round goes before that does not count: it opens the connections.
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
  await Promise.race([complete, sleep(maxMs)])
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
