import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { percentile } from '../percentile.ts'
import type { Backlog } from './backlog.ts'
import type { BesideDead } from './dead-receiver.ts'
import type { Latencies } from './latency.ts'
import type { Throughput } from './throughput.ts'

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
  const worst = Math.min(...throughput.map(({ service, bare }) => rateOf(service) / rateOf(bare)))
  const p99 = percentile(latency.times, 99)
  const beside = middleP99(besideDead.oneDead) / middleP99(besideDead.allHealthy)
  return `# Webhooks: rate, latency, a dead receiver, a backlog

For an operator and a maintainer: measured, and this page written, with

\`\`\`sh
npm run bench:webhooks
\`\`\`

It uses loopback only, looks up no name, needs nothing beside an installed checkout, and ends by itself within eight minutes. The figures
are of one run of ${Math.round(seconds)} s on a machine with ${availableParallelism()} cores (Node ${process.versions.node}, the private PostgreSQL with its
durable settings). Service, PostgreSQL, receivers and the load all run on it. Take the ratios rather than the milliseconds: both
sides of each were measured in the same run. The load average was ${load.before.toFixed(1)} before it and ${load.after.toFixed(1)} after it.${disturbance(load)}

| Aim | Found | |
|---|---|---|
| at least 0.5 of what bare undici POSTs reach | ${worst.toFixed(2)} at worst | ${verdict(worst >= 0.5)} |
| from commit to receipt in under 250 ms for 99 of 100, at 200 events a second | ${ms(p99)} | ${verdict(p99 < 250)} |
| with one dead receiver of 20, the p99 of the others at most 10 % worse | ${beside.toFixed(2)} times | ${verdict(beside <= 1.1)} |

## Deliveries a second

A backlog of events of as many quotes becomes visible at once, each for one receiver; the rate is taken until the last one arrives. It
includes everything: dispatching, leasing, signing, sending, recording each attempt. Bare is undici alone, POSTing the same body to the
same receivers over as many connections (16 to one, 256 in all). The least that is durable is bare with a signature, one row written
before each POST and its outcome after it, many at a time, and nothing else that a webhook service does: no order, no fairness, no leases,
nothing to list. All in turn, the mean of ${throughput[0]?.service.length ?? 0} rounds each, after one that opens the connections and counts for none. PostgreSQL has written
a gigabyte of its log before, and goes over the same files again.

| Receivers | Service | Bare undici | Ratio | Ratio, round by round | Least that is durable | Its ratio to bare, round by round |
|---|---|---|---|---|---|---|
${throughput.map(throughputRow).join('\n')}

A bare POST costs its two processes a core each. A delivery of the service also costs PostgreSQL, on the same cores, the event's dispatch, the
delivery and its attempt with the outcome, each into the indexes by which they are found later, with a look-up for each thing they refer to.
Of a processor's time, for one delivery:

| Receivers | Service | PostgreSQL | Receivers | Bare undici | Its receivers | Least that is durable | Its PostgreSQL | Its receivers |
|---|---|---|---|---|---|---|---|---|
${throughput.map(costRow).join('\n')}

Half of bare leaves a delivery ${micros(budgetMicros(throughput))} of all cores together, where neither ever waits for anything.

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

As an outage of 20 receivers leaves them: they take every message and never answer, a third of the deliveries is due and the others wait
behind those. Beside that, 100 events a second go to 10 receivers that are well, and 100 API requests a second are answered. First the same load
without the backlog. Memory is that of the service's process; PostgreSQL holds the backlog (written in ${Math.round(backlog.writtenInSeconds)} s).

| | Without | With |
|---|---|---|
${backlogRows(backlog)}
`
}

const rateOf = (rounds: readonly { perSecond: number }[]) => mean(rounds.map(({ perSecond }) => perSecond))

/** What the cores have for a delivery at half the highest rate of bare POSTs. */
function budgetMicros(throughput: readonly Throughput[]): number {
  const most = Math.max(...throughput.map(({ bare }) => rateOf(bare)))
  return (availableParallelism() * 1_000_000) / (most / 2)
}

/** A machine that was busy before the run began measures its other work as much as this. */
function disturbance({ before }: Figures['load']): string {
  if (before < availableParallelism() / 2) return ''
  return '\n\n**Disturbed:** other work kept the machine busy. Neither met nor missed means much here; repeat it on a quiet one.'
}

function throughputRow({ receivers, service, bare, plain }: Throughput): string {
  const [own, ceiling] = [rateOf(service), rateOf(bare)]
  const ratios = (rounds: readonly { perSecond: number }[]) =>
    rounds.map(({ perSecond }, round) => (perSecond / (bare[round]?.perSecond ?? Number.NaN)).toFixed(2)).join(', ')
  const cells = [`${count(own)}/s`, `${count(ceiling)}/s`, (own / ceiling).toFixed(2), ratios(service)]
  return `| ${[receivers, ...cells, `${count(rateOf(plain))}/s`, ratios(plain)].join(' | ')} |`
}

function costRow({ receivers, service, bare, plain }: Throughput): string {
  const costs = [
    mean(service.map(({ cpuMicros }) => cpuMicros.service)),
    mean(service.map(({ cpuMicros }) => cpuMicros.postgres)),
    mean(service.map(({ cpuMicros }) => cpuMicros.receivers)),
    mean(bare.map(({ cpuMicros }) => cpuMicros.client)),
    mean(bare.map(({ cpuMicros }) => cpuMicros.receivers)),
    mean(plain.map(({ cpuMicros }) => cpuMicros.client)),
    mean(plain.map(({ cpuMicros }) => cpuMicros.postgres)),
    mean(plain.map(({ cpuMicros }) => cpuMicros.receivers)),
  ]
  return `| ${receivers} | ${costs.map(micros).join(' | ')} |`
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
