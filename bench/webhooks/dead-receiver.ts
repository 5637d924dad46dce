import type { DeliveringService } from './delivering-service.ts'
import { type Latencies, measureLatency } from './latency.ts'
import type { Receivers } from './receivers.ts'
import { subscribeEach } from './subscribe-each.ts'

const receiversBesideEachOther = 20
const deadOne = 7
const rounds = 5

/** The same healthy receivers without and with a dead one beside them, once in each round. */
export interface BesideDead {
  allHealthy: Latencies[]
  oneDead: Latencies[]
}

/** In turn, everything made anew for each: a receiver that was dead once is treated with care for a while. */
export async function measureBesideDead(
  service: DeliveringService,
  receivers: Receivers,
  load: { eventsPerSecond: number; seconds: number },
): Promise<BesideDead> {
  const result: BesideDead = { allHealthy: [], oneDead: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const phase of ['allHealthy', 'oneDead'] as const) {
      await service.clear()
      const subscribers = await subscribeEach(service, receivers.urls.slice(0, receiversBesideEachOther))
      const hanging = phase === 'oneDead' ? [deadOne] : []
      result[phase].push(await measureLatency(service, receivers, { ...load, subscribers, hanging, unseen: [deadOne] }))
    }
  }
  return result
}
