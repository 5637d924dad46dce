import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { percentile } from '../percentile.ts'
import type { Backlog } from './backlog.ts'
import type { BesideDead } from './dead-receiver.ts'
import type { Latencies } from './latency.ts'
import type { Round, Throughput } from './throughput.ts'

/** All that one run found. */
export interface Figures {
  throughput: readonly Throughput[]
  latency: Latencies
  besideDead: BesideDead
  backlog: Backlog
  seconds: number
  /** Load averages of the last minute, before anything was started and after the last figure. */
  load: { before: number; after: number }
}

const document = new URL('../../docs/benchmarks/webhooks.md', import.meta.url)

/** Writes the figures of a run into docs/benchmarks/webhooks.md, with what each means and what it is held against. */
export async function writeReport(figures: Figures): Promise<void> {
  await writeFile(document, page(figures))
}

const count = (value: number) => Math.round(value).toLocaleString('en-GB')
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
const micros = (value: number) => `${Math.round(value)} µs`
const at = (times: readonly number[], share: number) => ms(percentile(times, share))
const verdict = (isMet: boolean) => (isMet ? 'met' : 'missed')

function page({ throughput, latency, besideDead, backlog, seconds, load }: Figures): string {
  const rate = rateOf(throughput.find(({ receivers }) => receivers === 10)?.rounds ?? [])
  const p99 = percentile(latency.times, 99)
  const beside = middleP99(besideDead.oneDead) / middleP99(besideDead.allHealthy)
  return `# Webhooks: rate, latency, a dead receiver, a backlog

For operators and maintainers. This command measures and writes this page:

\`\`\`sh
npm run bench:webhooks
\`\`\`

It uses loopback only, looks up no name, needs nothing besides an installed checkout, and takes at most eight minutes. The figures are
from one run of ${Math.round(seconds)} s on a machine with ${availableParallelism()} cores (Node ${process.versions.node}, the private PostgreSQL with its
durable settings). The service, PostgreSQL, the receivers and the load all share this machine. Its load average was ${load.before.toFixed(1)} before the run and ${load.after.toFixed(1)} after it.${disturbance(load)}

| Aim | Found | |
|---|---|---|
| at least 2,000 durable deliveries a second to 10 receivers | ${count(rate)}/s | ${verdict(rate >= 2_000)} |
| from commit to receipt in under 250 ms for 99 of 100, at 200 events a second | ${ms(p99)} | ${verdict(p99 < 250)} |
| with one dead receiver of 20, the p99 of the others at most 10 % worse | ${beside.toFixed(2)} times | ${verdict(beside <= 1.1)} |

## Deliveries a second

A backlog of events, each about a different quote and for one receiver, becomes visible at once. The rate covers the time until the
last one arrives. It includes everything: dispatching, leasing, signing, sending, and recording each attempt. It is the mean of ${throughput[0]?.rounds.length ?? 0} rounds, after an
uncounted one that opens the connections. PostgreSQL has already written a gigabyte of its write-ahead log and reuses those files. The last columns are the processor time for one delivery.

| Receivers | Deliveries a second | Round by round | Service | PostgreSQL | Receivers |
|---|---|---|---|---|---|
${throughput.map(throughputRow).join('\n')}

## From commit to receipt

200 events a second, each written through the outbox in its own transaction, to 10 receivers in turn.

| Deliveries | p50 | p99 | Missing |
|---|---|---|---|
| ${latencyRow(latency)} |

## One dead receiver among twenty

The same load goes to 20 receivers, alternately without and with one that accepts every message and never responds; the figures are for the
19 others. The aim compares the p99 of the median rounds: if the machine stalls for a moment in one round, the stall alone determines that round's p99, and also the p99 of all rounds together.

| | Deliveries | p50 | p99 of all | p99 of the median round | p99, round by round | Missing |
|---|---|---|---|---|---|---|
| all healthy | ${besideRow(besideDead.allHealthy)} |
| one dead | ${besideRow(besideDead.oneDead)} |

## ${count(backlog.pending)} pending deliveries

This is the backlog that an outage of 20 receivers leaves. They accept every message and never respond; a
third of the deliveries can be sent, and the others wait behind those. At the same time, 100 events a second go to 10 healthy receivers, and the service handles 100 API requests a second. The same load without the backlog is measured first. Memory is that of the service's process; PostgreSQL holds the backlog (written in ${Math.round(backlog.writtenInSeconds)} s).

| | Without | With |
|---|---|---|
${backlogRows(backlog)}
`
}

const rateOf = (rounds: readonly { perSecond: number }[]) => mean(rounds.map(({ perSecond }) => perSecond))

/** A machine that was busy before the run began measures its other work as much as this. */
function disturbance({ before }: Figures['load']): string {
  if (before < availableParallelism() / 2) return ''
  return '\n\n**Disturbed:** other work kept the machine busy, so "met" and "missed" mean little here. Repeat the run on a quiet machine.'
}

function throughputRow({ receivers, rounds }: Throughput): string {
  const cost = (part: keyof Round['cpuMicros']) => micros(mean(rounds.map(({ cpuMicros }) => cpuMicros[part])))
  const rates = rounds.map(({ perSecond }) => count(perSecond)).join(', ')
  return `| ${[receivers, `${count(rateOf(rounds))}/s`, rates, cost('service'), cost('postgres'), cost('receivers')].join(' | ')} |`
}

const p99Of = ({ times }: Latencies) => percentile(times, 99)
const middleP99 = (rounds: readonly Latencies[]) => percentile(rounds.map(p99Of), 50)

function besideRow(rounds: readonly Latencies[]): string {
  const times = rounds.flatMap((round) => round.times)
  const missing = rounds.reduce((sum, round) => sum + round.missing, 0)
  const p99s = [at(times, 99), ms(middleP99(rounds)), rounds.map((round) => ms(p99Of(round))).join(', ')]
  return [count(times.length), at(times, 50), ...p99s, missing].join(' | ')
}

function latencyRow({ times, missing }: Latencies): string {
  return `${count(times.length)} | ${at(times, 50)} | ${at(times, 99)} | ${missing}`
}

function backlogRows({ without, with: beside }: Backlog): string {
  const both = [without, beside]
  const row = (what: string, cell: (side: (typeof both)[number]) => string) =>
    `| ${what} | ${both.map(cell).join(' | ')} |`
  return [
    row('memory before, MiB', ({ residentMiB }) => count(residentMiB.before)),
    row('memory at most, MiB', ({ residentMiB }) => count(residentMiB.peak)),
    row('API requests', ({ api }) => `${count(api.times.length)}, ${api.errors} errors`),
    row('API p50', ({ api }) => at(api.times, 50)),
    row('API p99', ({ api }) => at(api.times, 99)),
    row('commit to receipt p50', ({ deliveries }) => at(deliveries.times, 50)),
    row('commit to receipt p99', ({ deliveries }) => at(deliveries.times, 99)),
    row('missing', ({ deliveries }) => String(deliveries.missing)),
  ].join('\n')
}
