import { percentile } from '../percentile.ts'
import type { Backlog } from './backlog.ts'
import type { DeadReceiverComparison } from './dead-receiver.ts'
import type { Latencies } from './latency.ts'
import type { Throughput } from './throughput.ts'

/** The time from commit to receipt. */
export interface LatencySummary {
  deliveries: number
  p50Ms: number
  p99Ms: number
  missing: number
}

/** What a run of `npm run bench:webhooks` found. */
export interface WebhookFigures {
  eventsPerSecond: number
  throughput: readonly Throughput[]
  latency: LatencySummary
  deadReceiver: { allHealthy: DeadReceiverSummary; oneDead: DeadReceiverSummary }
  backlog: { pending: number; without: UnderLoadSummary; with: UnderLoadSummary }
}

export interface DeadReceiverSummary extends LatencySummary {
  /** The p99 of each round. */
  roundP99sMs: readonly number[]
}

export interface UnderLoadSummary {
  residentMiB: { before: number; peak: number }
  api: { requests: number; errors: number; p50Ms: number; p99Ms: number }
  deliveries: LatencySummary
}

interface Measured {
  eventsPerSecond: number
  throughput: readonly Throughput[]
  latency: Latencies
  deadReceiver: DeadReceiverComparison
  backlog: Backlog
}

/** Reduces the times of single deliveries and requests to percentiles. */
export function summarise({ eventsPerSecond, throughput, latency, deadReceiver, backlog }: Measured): WebhookFigures {
  return {
    eventsPerSecond,
    throughput,
    latency: summaryOf(latency),
    deadReceiver: { allHealthy: ofRounds(deadReceiver.allHealthy), oneDead: ofRounds(deadReceiver.oneDead) },
    backlog: { pending: backlog.pending, without: underLoad(backlog.without), with: underLoad(backlog.with) },
  }
}

function summaryOf({ times, missing }: Latencies): LatencySummary {
  return { deliveries: times.length, p50Ms: percentile(times, 50), p99Ms: percentile(times, 99), missing }
}

function ofRounds(rounds: readonly Latencies[]): DeadReceiverSummary {
  const all = {
    times: rounds.flatMap(({ times }) => times),
    missing: rounds.reduce((sum, { missing }) => sum + missing, 0),
  }
  return { ...summaryOf(all), roundP99sMs: rounds.map(({ times }) => percentile(times, 99)) }
}

function underLoad({ residentMiB, api, deliveries }: Backlog['without']): UnderLoadSummary {
  const { times, errors } = api
  return {
    residentMiB,
    api: { requests: times.length, errors, p50Ms: percentile(times, 50), p99Ms: percentile(times, 99) },
    deliveries: summaryOf(deliveries),
  }
}
