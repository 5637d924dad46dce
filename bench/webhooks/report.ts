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

For an operator and a maintainer: measured, and this page written, with

\`\`\`sh
npm run bench:webhooks
\`\`\`

It uses loopback only, looks up no name, needs nothing beside an installed checkout, and ends by itself within eight minutes. The figures
are of one run of ${Math.round(seconds)} s on a machine with ${availableParallelism()} cores (Node ${process.versions.node}, the private PostgreSQL with its
durable settings). Service, PostgreSQL, receivers and the load all run on it. The load average was ${load.before.toFixed(1)} before it and ${load.after.toFixed(1)} after it.${disturbance(load)}

| Aim | Found | |
|---|---|---|
| at least 2,000 durable deliveries a second to 10 receivers | ${count(rate)}/s | ${verdict(rate >= 2_000)} |
| from commit to receipt in under 250 ms for 99 of 100, at 200 events a second | ${ms(p99)} | ${verdict(p99 < 250)} |
| with one dead receiver of 20, the p99 of the others at most 10 % worse | ${beside.toFixed(2)} times | ${verdict(beside <= 1.1)} |

## Deliveries a second

A backlog of events of as many quotes becomes visible at once, each for one receiver; the rate is taken until the last one arrives. It
includes everything: dispatching, leasing, signing, sending, recording each attempt. The mean of ${throughput[0]?.rounds.length ?? 0} rounds, after one that
opens the connections and does not count. PostgreSQL has written a gigabyte of its log before, and goes over the same files again. The
last columns are processor time for one delivery.

| Receivers | Deliveries a second | Round by round | Service | PostgreSQL | Receivers |
|---|---|---|---|---|---|
${throughput.map(throughputRow).join('\n')}

## From commit to receipt

200 events a second, each written through the outbox in a transaction of its own, to 10 receivers in turn.

| Deliveries | p50 | p99 | Missing |
|---|---|---|---|
| ${latencyRow(latency)} |

## One dead receiver among twenty

The same load to 20 receivers, without and with one that takes every message and never answers, in turn; the 19 others are looked at. What is
compared is the middle one of the rounds: where the machine stops for a moment in one of them, its p99 tells of nothing else, and so
does that of all rounds together.

| | Deliveries | p50 | p99 of all | p99 of the middle round | p99, round by round | Missing |
|---|---|---|---|---|---|---|
| all healthy | ${besideRow(besideDead.allHealthy)} |
| one dead | ${besideRow(besideDead.oneDead)} |

## ${count(backlog.pending)} pending deliveries

As an outage of 20 receivers leaves them: they take every message and never answer, a third of the deliveries
can be sent and the others wait behind those. Beside that, 100 events a second go to 10 receivers that are well, and 100 API requests a second are answered. First the same load
without the backlog. Memory is that of the service's process; PostgreSQL holds the backlog (written in ${Math.round(backlog.writtenInSeconds)} s).

| | Without | With |
|---|---|---|
${backlogRows(backlog)}
`
}

const rateOf = (rounds: readonly { perSecond: number }[]) => mean(rounds.map(({ perSecond }) => perSecond))

/** A machine that was busy before the run began measures its other work as much as this. */
function disturbance({ before }: Figures['load']): string {
  if (before < availableParallelism() / 2) return ''
  return '\n\n**Disturbed:** other work kept the machine busy. Neither met nor missed means much here; repeat it on a quiet one.'
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
