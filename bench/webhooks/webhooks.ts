import { markdownTable, ms, ratio, whole } from '../markdown-table.ts'
import { median, percentile } from '../percentile.ts'
import type { Scenario } from '../scenario.ts'
import { measureBacklog, type UnderLoad } from './backlog.ts'
import { compareWithDeadReceiver, type DeadReceiverComparison } from './dead-receiver.ts'
import { startDeliveringService } from './delivering-service.ts'
import type { Latencies } from './latency.ts'
import { startReceivers } from './receivers.ts'
import { measureThroughput, type Round, type Throughput } from './throughput.ts'

/**
 * The rate of deliveries, and what a dead receiver and a backlog of a million deliveries change for the other
 * receivers.
 */
export const webhooks: Scenario = {
  maxMinutes: ({ isQuick }) => (isQuick ? 2 : 8),
  async measure(run) {
    const receivers = await startReceivers(run, 100)
    const service = await startDeliveringService(run)
    const throughput: Throughput[] = []
    const drained = run.isQuick ? { deliveries: 1_000, rounds: 1 } : { deliveries: 20_000, rounds: 2 }
    for (const count of run.isQuick ? [10] : [1, 10, 100]) {
      throughput.push(await measureThroughput(service, receivers, { count, ...drained }))
      run.say(`measured deliveries to ${count}`)
    }
    const load = run.isQuick ? { rounds: 1, seconds: 1 } : { rounds: 5, seconds: 6 }
    const dead = await compareWithDeadReceiver(service, receivers, { ...load, eventsPerSecond: 200 })
    run.say('measured the effect of a dead receiver')
    const pending = run.isQuick ? 1_000 : 1_000_000
    const backlog = await measureBacklog(run, service, receivers, { pending, seconds: run.isQuick ? 1 : 10 })
    return [reportThroughput(throughput), reportDeadReceiver(dead), reportBacklog(pending, backlog)].join('\n\n')
  },
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function reportThroughput(throughput: readonly Throughput[]): string {
  const rows = throughput.map(({ receivers, rounds }) => {
    const cost = (part: keyof Round['cpuMicros']) => `${whole(mean(rounds.map(({ cpuMicros }) => cpuMicros[part])))} µs`
    const rate = whole(mean(rounds.map(({ perSecond }) => perSecond)))
    return [String(receivers), rate, cost('service'), cost('postgres'), cost('receivers')]
  })
  return `Processor time is for one delivery. The aim is at least 2,000 a second to 10 receivers.

${markdownTable(['receivers', 'deliveries a second', 'service', 'PostgreSQL', 'receivers'], rows)}`
}

function reportDeadReceiver({ allHealthy, oneDead }: DeadReceiverComparison): string {
  const p99 = (rounds: readonly Latencies[]) => median(rounds.map(({ times }) => percentile(times, 99)))
  const row = (what: string, rounds: readonly Latencies[]) => {
    const all = rounds.flatMap(({ times }) => times)
    const missing = rounds.reduce((sum, round) => sum + round.missing, 0)
    return [what, whole(all.length), ms(percentile(all, 50)), ms(p99(rounds)), String(missing)]
  }
  return `One dead receiver among twenty: the p99 of the others, as the median of the rounds, is ${ratio(p99(oneDead) / p99(allHealthy))} times
that without it. The aim is at most 1.1, and none missing.

${markdownTable(
  ['from commit to receipt', 'deliveries', 'p50', 'p99', 'missing'],
  [row('all healthy', allHealthy), row('one dead', oneDead)],
)}`
}

function reportBacklog(pending: number, sides: { without: UnderLoad; with: UnderLoad }): string {
  const columns: [string, (side: UnderLoad) => number][] = [
    ['API p50', ({ api }) => percentile(api.times, 50)],
    ['API p99', ({ api }) => percentile(api.times, 99)],
    ['commit to receipt p50', ({ deliveries }) => percentile(deliveries.times, 50)],
    ['commit to receipt p99', ({ deliveries }) => percentile(deliveries.times, 99)],
  ]
  const counts: [string, (side: UnderLoad) => number][] = [
    ['API errors', ({ api }) => api.errors],
    ['missing deliveries', ({ deliveries }) => deliveries.missing],
    ['memory of the service, MiB', ({ serviceMiB }) => serviceMiB],
  ]
  const rows = [
    ...columns.map(([name, of]) => [
      name,
      ms(of(sides.without)),
      ms(of(sides.with)),
      ratio(of(sides.with) / of(sides.without)),
    ]),
    ...counts.map(([name, of]) => [name, whole(of(sides.without)), whole(of(sides.with)), '']),
  ]
  return `With ${whole(pending)} deliveries pending to receivers that never respond. The aim: those to healthy ones arrive within a second (p99).

${markdownTable(['', 'without', 'with', 'ratio'], rows)}`
}
