import type { Logger } from 'pino'
import type { UpstreamLimits } from '../adapters/outbound-http/limits.ts'
import { createUpstream, type Upstream } from '../adapters/outbound-http/upstream.ts'
import { currentTraceparent } from '../http/plugins/trace-context.ts'

/** Makes the guarded way out to one outside system; it continues the trace of the request it is used for. */
export type OpenUpstream = (name: string, baseUrl: string, limits?: Partial<UpstreamLimits>) => Upstream

/** `limits`, where given, stand in for the default ones of every upstream; one's own go before them. */
export function upstreamOpener(log: Logger, limits: Partial<UpstreamLimits> = {}): OpenUpstream {
  return (name, baseUrl, own) =>
    createUpstream({ name, baseUrl, limits: { ...limits, ...own }, log, traceparent: currentTraceparent })
}
