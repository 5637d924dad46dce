import { createSubscribers, type DeliveringService } from './delivering-service.ts'
import { type Latencies, measureLatency } from './latency.ts'
import type { Receivers } from './receivers.ts'

const receiverCount = 20
const deadIndex = 7

/**
 * Latencies of deliveries to the same healthy receivers, without and with an additional dead one. One entry for each
 * round.
 */
export interface DeadReceiverComparison {
  allHealthy: Latencies[]
  oneDead: Latencies[]
}

/**
 * Alternates between measurements without and with the dead receiver. Each measurement gets new webhooks, because the
 * service limits calls to a failed receiver for a while.
 */
export async function compareWithDeadReceiver(
  service: DeliveringService,
  receivers: Receivers,
  { rounds, ...load }: { rounds: number; eventsPerSecond: number; seconds: number },
): Promise<DeadReceiverComparison> {
  const result: DeadReceiverComparison = { allHealthy: [], oneDead: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const phase of ['allHealthy', 'oneDead'] as const) {
      await service.clear()
      const subscribers = await createSubscribers(service, receivers.urls.slice(0, receiverCount))
      const hanging = phase === 'oneDead' ? [deadIndex] : []
      result[phase].push(
        await measureLatency(service, receivers, { ...load, subscribers, hanging, excluded: [deadIndex] }),
      )
    }
  }
  return result
}
