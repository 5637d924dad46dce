import { Registry } from 'prom-client'
import type { MailCounts } from '../../domain/mails/mail-counts.ts'
import type { WebhookMetrics } from '../../domain/webhooks/delivery/metrics.ts'
import type { UpstreamCounters } from '../outbound-http/counters.ts'
import { registerConnectionMetrics } from './connection-metrics.ts'
import { type ContractCounts, registerContractMetrics } from './contract-metrics.ts'
import { type FullAccess, registerCredentialMetrics } from './credential-metrics.ts'
import { registerMailMetrics } from './mail-metrics.ts'
import { type PoolCounts, registerPoolMetrics } from './pool-metrics.ts'
import { getProcessRegistry } from './process-metrics.ts'
import { registerRedisMetrics } from './redis-metrics.ts'
import { type RefundCounts, registerRefundMetrics } from './refund-metrics.ts'
import { type RequestOutcome, registerRequestMetrics } from './request-metrics.ts'
import { registerUpstreamMetrics } from './upstream-metrics.ts'
import { registerWebhookMetrics } from './webhook-metrics.ts'

/** A service's metrics in the Prometheus text format. Labels name operations and systems, never people or ids. */
export interface Metrics {
  countRequest(outcome: RequestOutcome): void
  countDroppedConnection(reason: 'all' | 'site'): void
  contentType: string
  /** Returns the current values as text. */
  render(): Promise<string>
}

/** Reads all sources on each request. Two services in one process share only the metrics of the process itself. */
export function createMetrics(sources: {
  upstreams: () => readonly UpstreamCounters[]
  pool: PoolCounts
  /** Undefined for a process that sends no webhooks. */
  webhooks?: () => WebhookMetrics
  /** What waits for the back office; undefined if that is not known. */
  contracts?: ContractCounts
  refunds?: RefundCounts
  fullAccess?: FullAccess
  /** Undefined for a process that sends no e-mail. */
  mails?: MailCounts | undefined
  /** Whether Redis answers. Undefined without Redis. */
  isRedisShared?: (() => boolean) | undefined
}): Metrics {
  const registry = new Registry()
  const countRequest = registerRequestMetrics(registry)
  const countDroppedConnection = registerConnectionMetrics(registry)
  registerUpstreamMetrics(registry, sources.upstreams)
  registerPoolMetrics(registry, sources.pool)
  if (sources.webhooks !== undefined) registerWebhookMetrics(registry, sources.webhooks)
  if (sources.contracts !== undefined) registerContractMetrics(registry, sources.contracts)
  if (sources.refunds !== undefined) registerRefundMetrics(registry, sources.refunds)
  if (sources.fullAccess !== undefined) registerCredentialMetrics(registry, sources.fullAccess)
  if (sources.mails !== undefined) registerMailMetrics(registry, sources.mails)
  if (sources.isRedisShared !== undefined) registerRedisMetrics(registry, sources.isRedisShared)
  const all = Registry.merge([registry, getProcessRegistry()])
  return {
    countRequest,
    countDroppedConnection,
    contentType: registry.contentType,
    render: () => all.metrics(),
  }
}
