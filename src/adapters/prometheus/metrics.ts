import { Registry } from 'prom-client'
import type { WebhookMeasures } from '../../domain/webhooks/delivery/measures.ts'
import type { UpstreamCounters } from '../outbound-http/counters.ts'
import { type PoolCounts, registerPool } from './pool-metrics.ts'
import { processRegistry } from './process-metrics.ts'
import { type RequestOutcome, registerRequests } from './request-metrics.ts'
import { registerUpstreams } from './upstream-metrics.ts'
import { registerWebhooks } from './webhook-metrics.ts'

/** What one service has measured, in the text format of Prometheus. Labels name operations and systems, never anybody or anything's id. */
export interface Metrics {
  countRequest(outcome: RequestOutcome): void
  contentType: string
  /** Everything as it is now. */
  render(): Promise<string>
}

/** All sources are read whenever somebody looks. Two services in one process share nothing but the process's own figures. */
export function createMetrics(sources: {
  upstreams: () => readonly UpstreamCounters[]
  pool: PoolCounts
  /** Undefined for a process that sends none. */
  webhooks?: () => WebhookMeasures
}): Metrics {
  const registry = new Registry()
  const countRequest = registerRequests(registry)
  registerUpstreams(registry, sources.upstreams)
  registerPool(registry, sources.pool)
  if (sources.webhooks !== undefined) registerWebhooks(registry, sources.webhooks)
  const all = Registry.merge([registry, processRegistry()])
  return { countRequest, contentType: registry.contentType, render: () => all.metrics() }
}
