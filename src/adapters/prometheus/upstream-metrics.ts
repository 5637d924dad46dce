import { Counter, Gauge, type Registry } from 'prom-client'
import { upstreamFailureKinds } from '../../kernel/upstream-failure.ts'
import type { BreakerState, UpstreamCounters } from '../outbound-http/counters.ts'
import { CountedHistogram } from './counted-histogram.ts'

type ReadUpstreams = () => readonly UpstreamCounters[]

const breakerStates: readonly BreakerState[] = ['closed', 'half-open', 'open']

/** Registers everything that `counters.ts` counts. The values are read when the metrics are requested. */
export function registerUpstreamMetrics(registry: Registry, read: ReadUpstreams): void {
  const registers = [registry]
  const counter = (name: string, help: string, of: (counters: UpstreamCounters) => number) =>
    new Counter({
      name: `housebill_upstream_${name}_total`,
      help,
      labelNames: ['upstream'],
      registers,
      collect() {
        this.reset()
        for (const counters of read()) this.inc({ upstream: counters.upstream }, of(counters))
      },
    })

  counter('calls', 'Completed calls to an external system, whatever their outcome.', ({ calls }) => calls)
  counter('tries', 'Requests sent for calls to an external system, including retries.', ({ tries }) => tries)
  counter(
    'breaker_openings',
    'How often the circuit breaker has opened since the process started.',
    ({ breakerOpenings }) => breakerOpenings,
  )
  new Counter({
    name: 'housebill_upstream_failures_total',
    help: 'Calls to an external system that failed, by kind of failure.',
    labelNames: ['upstream', 'kind'],
    registers,
    collect() {
      this.reset()
      for (const { upstream, failures } of read())
        for (const kind of upstreamFailureKinds) this.inc({ upstream, kind }, failures[kind])
    },
  })
  new Gauge({
    name: 'housebill_upstream_in_flight',
    help: 'Calls in progress to an external system.',
    labelNames: ['upstream'],
    registers,
    collect() {
      for (const { upstream, inFlight } of read()) this.set({ upstream }, inFlight)
    },
  })
  new Gauge({
    name: 'housebill_upstream_breaker',
    help: 'State of the circuit breaker: 1 for the current state, 0 for the others.',
    labelNames: ['upstream', 'state'],
    registers,
    collect() {
      for (const { upstream, breaker } of read())
        for (const state of breakerStates) this.set({ upstream, state }, state === breaker ? 1 : 0)
    },
  })
  registry.registerMetric(
    new CountedHistogram(
      'housebill_upstream_call_duration_seconds',
      'Duration of calls to an external system, including waiting and retries.',
      () => read().map(durationsOf),
    ),
  )
}

function durationsOf({ upstream, calls, totalMilliseconds, latency }: UpstreamCounters) {
  const buckets = latency.map(({ upToMs, calls: count }) => ({ upTo: upToMs / 1_000, count }))
  return { labels: { upstream }, buckets, sum: totalMilliseconds / 1_000, count: calls }
}
