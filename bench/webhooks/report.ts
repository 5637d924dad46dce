import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { percentile } from '../percentile.ts'
import type { Backlog } from './backlog.ts'
import type { DeadReceiverComparison } from './dead-receiver.ts'
import type { Latencies } from './latency.ts'
import type { Round, Throughput } from './throughput.ts'

/** All results of a run. */
export interface Figures {
  throughput: readonly Throughput[]
  latency: Latencies
  deadReceiver: DeadReceiverComparison
  backlog: Backlog
  seconds: number
  /** The one-minute load averages before anything was started and after the last measurement. */
  load: { before: number; after: number }
}

const document = new URL('../../docs/benchmarks/webhooks.md', import.meta.url)

/** Writes the figures of a run into docs/benchmarks/webhooks.md, with their meaning and the targets that they are compared with. */
export async function writeReport(figures: Figures): Promise<void> {
  await writeFile(document, page(figures))
}

const count = (value: number) => Math.round(value).toLocaleString('en-GB')
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
const micros = (value: number) => `${Math.round(value)} µs`
const at = (times: readonly number[], share: number) => ms(percentile(times, share))
const verdict = (isMet: boolean) => (isMet ? 'met' : 'missed')

function page({ throughput, latency, deadReceiver, backlog, seconds, load }: Figures): string {
  const rate = rateOf(throughput.find(({ receivers }) => receivers === 10)?.rounds ?? [])
  const p99 = percentile(latency.times, 99)
  const ratio = medianP99(deadReceiver.oneDead) / medianP99(deadReceiver.allHealthy)
  return `# Webhooks: rate, latency, a dead receiver and a backlog

For operators and maintainers. This command runs the benchmark and writes its results to this page:

\`\`\`sh
npm run bench:webhooks
\`\`\`

It uses loopback only, looks up no names, needs only an installed checkout and takes at most eight minutes. The figures
are from one run of ${Math.round(seconds)} s on a machine with ${availableParallelism()} cores (Node ${process.versions.node}, the private PostgreSQL with its
durable settings). The service, PostgreSQL, the receivers and the load all run on it. The load average was ${load.before.toFixed(1)} before the run and ${load.after.toFixed(1)} after it.${disturbance(load)}

| Aim | Found | |
|---|---|---|
| at least 2,000 durable deliveries a second to 10 receivers | ${count(rate)}/s | ${verdict(rate >= 2_000)} |
| p99 from commit to receipt below 250 ms, at 200 events a second | ${ms(p99)} | ${verdict(p99 < 250)} |
| with one dead receiver among 20, the p99 of the others at most 10 % worse | ${ratio.toFixed(2)} times | ${verdict(ratio <= 1.1)} |

## Deliveries a second

${count(throughput[0]?.deliveries ?? 0)} events become visible at once, each of a different quote and each for one of the receivers. The rate
is measured until the last event arrives. It includes everything: dispatching, leasing, signing, sending and recording each attempt. The table
shows the mean of ${throughput[0]?.rounds.length ?? 0} rounds; an earlier round opens the connections and does not count. Before the first round,
PostgreSQL writes a gigabyte of write-ahead log, so that it recycles existing files from then on. The last three columns show CPU time per delivery.

| Receivers | Deliveries a second | Round by round | Service | PostgreSQL | Receivers |
|---|---|---|---|---|---|
${throughput.map(throughputRow).join('\n')}

## From commit to receipt

200 events a second go to 10 receivers in turn. Each event is written through the outbox in its own transaction.

| Deliveries | p50 | p99 | Missing |
|---|---|---|---|
| ${latencyRow(latency)} |

## One dead receiver among twenty

The same load goes to 20 receivers. Rounds in which all receivers are healthy alternate with rounds in which one receiver
accepts every message but never responds.
Only the other 19 are measured. The aim is for the median of the rounds' p99s, because if the machine pauses during one round, the p99 of
that round, and of all rounds together, mainly shows the pause.

| | Deliveries | p50 | p99 of all | median of the rounds' p99s | p99, round by round | Missing |
|---|---|---|---|---|---|---|
| all healthy | ${comparisonRow(deadReceiver.allHealthy)} |
| one dead | ${comparisonRow(deadReceiver.oneDead)} |

## ${count(backlog.pending)} pending deliveries

This is the backlog that an outage of 20 receivers leaves: they accept every message and never respond. Only a third of
the deliveries can be sent immediately; each of the others has to wait for an earlier event of its quote. At the same time, 100 events a second go to 10 healthy receivers, and the API serves 100 requests
a second. The first column shows the same load without the backlog. Memory is that of the service's process; PostgreSQL holds the backlog (written in ${Math.round(backlog.writtenInSeconds)} s).

| | Without | With |
|---|---|---|
${backlogRows(backlog)}
`
}

const rateOf = (rounds: readonly { perSecond: number }[]) => mean(rounds.map(({ perSecond }) => perSecond))

/** A warning if the machine was busy before the run: the figures then depend on its other work as much as on the service. */
function disturbance({ before }: Figures['load']): string {
  if (before < availableParallelism() / 2) return ''
  return '\n\n**Disturbed:** other work kept the machine busy, so "met" and "missed" mean little here. Repeat the benchmark on a quiet machine.'
}

function throughputRow({ receivers, rounds }: Throughput): string {
  const cost = (part: keyof Round['cpuMicros']) => micros(mean(rounds.map(({ cpuMicros }) => cpuMicros[part])))
  const rates = rounds.map(({ perSecond }) => count(perSecond)).join(', ')
  return `| ${[receivers, `${count(rateOf(rounds))}/s`, rates, cost('service'), cost('postgres'), cost('receivers')].join(' | ')} |`
}

const p99Of = ({ times }: Latencies) => percentile(times, 99)
const medianP99 = (rounds: readonly Latencies[]) => percentile(rounds.map(p99Of), 50)

function comparisonRow(rounds: readonly Latencies[]): string {
  const times = rounds.flatMap((round) => round.times)
  const missing = rounds.reduce((sum, round) => sum + round.missing, 0)
  const p99s = [at(times, 99), ms(medianP99(rounds)), rounds.map((round) => ms(p99Of(round))).join(', ')]
  return [count(times.length), at(times, 50), ...p99s, missing].join(' | ')
}

function latencyRow({ times, missing }: Latencies): string {
  return `${count(times.length)} | ${at(times, 50)} | ${at(times, 99)} | ${missing}`
}

function backlogRows({ without, with: withBacklog }: Backlog): string {
  const both = [without, withBacklog]
  const row = (what: string, cell: (side: (typeof both)[number]) => string) =>
    `| ${what} | ${both.map(cell).join(' | ')} |`
  return [
    row('memory before, MiB', ({ residentMiB }) => count(residentMiB.before)),
    row('peak memory, MiB', ({ residentMiB }) => count(residentMiB.peak)),
    row('API requests', ({ api }) => `${count(api.times.length)}, ${api.errors} errors`),
    row('API p50', ({ api }) => at(api.times, 50)),
    row('API p99', ({ api }) => at(api.times, 99)),
    row('commit to receipt p50', ({ deliveries }) => at(deliveries.times, 50)),
    row('commit to receipt p99', ({ deliveries }) => at(deliveries.times, 99)),
    row('missing deliveries', ({ deliveries }) => String(deliveries.missing)),
  ].join('\n')
}
