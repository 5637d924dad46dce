import { Registry } from 'prom-client'
import type { WebhookMetrics } from '../../domain/webhooks/delivery/metrics.ts'
import type { UpstreamCounters } from '../outbound-http/counters.ts'
import { type PoolCounts, registerPool } from './pool-metrics.ts'
import { processRegistry } from './process-metrics.ts'
import { type RequestOutcome, registerRequests } from './request-metrics.ts'
import { registerUpstreams } from './upstream-metrics.ts'
import { registerWebhooks } from './webhook-metrics.ts'

/** A service's metrics in the Prometheus text format. Labels name operations and systems, never people or ids. */
export interface Metrics {
  countRequest(outcome: RequestOutcome): void
  contentType: string
  /** Returns the current values. */
  render(): Promise<string>
}

/** Reads all sources on each request. Two services in one process share only the metrics of the process itself. */
export function createMetrics(sources: {
  upstreams: () => readonly UpstreamCounters[]
  pool: PoolCounts
  /** Undefined for a process that sends no webhooks. */
  webhooks?: () => WebhookMetrics
}): Metrics {
  const registry = new Registry()
  const countRequest = registerRequests(registry)
  registerUpstreams(registry, sources.upstreams)
  registerPool(registry, sources.pool)
  if (sources.webhooks !== undefined) registerWebhooks(registry, sources.webhooks)
  const all = Registry.merge([registry, processRegistry()])
  return { countRequest, contentType: registry.contentType, render: () => all.metrics() }
}
