import { markdownTable } from '../page/markdown-table.ts'
import { percentile } from '../percentile.ts'
import type { DeadReceiverSummary, LatencySummary, UnderLoadSummary, WebhookFigures } from './summarise.ts'
import type { Round, Throughput } from './throughput.ts'

const count = (value: number) => Math.round(value).toLocaleString('en-GB')
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
const medianP99 = ({ roundP99sMs }: DeadReceiverSummary) => percentile(roundP99sMs, 50)
const rateOf = ({ rounds }: Pick<Throughput, 'rounds'>) => mean(rounds.map(({ perSecond }) => perSecond))

/** The section about webhooks. The aims are those of the engine that docs/decisions/0007-webhook-lease-loop.md describes. */
export function reportWebhooks({
  eventsPerSecond,
  throughput,
  latency,
  deadReceiver,
  backlog,
}: WebhookFigures): string {
  const { allHealthy, oneDead } = deadReceiver
  return `The service, PostgreSQL (with its durable settings), the receivers and the load all run on one machine. The aims follow from what
[the decision](../decisions/0007-webhook-lease-loop.md) promises: nothing is lost, and retries, dead receivers and backlogs delay nobody else.

${aims({ eventsPerSecond, throughput, latency, deadReceiver, backlog })}

### Deliveries a second

${count(throughput[0]?.deliveries ?? 0)} events become visible at once, each of a different quote and each for one of the receivers. The rate
is measured until the last event arrives. It includes everything: dispatching, leasing, signing, sending and recording each attempt. The table
shows the mean of ${throughput[0]?.rounds.length ?? 0} rounds; an earlier round opens the connections and does not count. Before the first round,
PostgreSQL writes a gigabyte of write-ahead log, so that it recycles existing files from then on. The last three columns show processor time per delivery.
One receiver gets at most 16 deliveries at once, so it cannot use the whole rate.

${markdownTable(
  ['receivers', 'deliveries a second', 'round by round', 'service', 'PostgreSQL', 'receivers'],
  throughput.map(throughputRow),
)}

### From commit to receipt

${eventsPerSecond} events a second go to 10 receivers in turn. Each event is written through the outbox in its own transaction.

${markdownTable(
  ['deliveries', 'p50', 'p99', 'missing'],
  [[count(latency.deliveries), ms(latency.p50Ms), ms(latency.p99Ms), String(latency.missing)]],
)}

### One dead receiver among twenty

The same load goes to 20 receivers. Rounds in which all receivers are healthy alternate with rounds in which one receiver accepts every message
but never responds. Only the other 19 are measured. The aim is for the median of the rounds' p99s, because if the machine pauses during one
round, the p99 of that round, and of all rounds together, mainly shows the pause.

${markdownTable(
  ['', 'deliveries', 'p50', 'p99 of all', "median of the rounds' p99s", 'p99, round by round', 'missing'],
  [comparisonRow('all healthy', allHealthy), comparisonRow('one dead', oneDead)],
)}

### ${count(backlog.pending)} pending deliveries

This is the backlog that an outage of 20 receivers leaves: they accept every message and never respond. Only a third of the deliveries can be
sent immediately; each of the others has to wait for an earlier event of its quote. At the same time, 100 events a second go to 10 healthy
receivers, and the API serves 100 requests a second. The first column shows the same load without the backlog. Memory is that of the
service's process; PostgreSQL holds the backlog.

${markdownTable(['', 'without', 'with'], backlogRows(backlog))}`
}

function aims({ eventsPerSecond, throughput, latency, deadReceiver, backlog }: WebhookFigures): string {
  const rate = rateOf(throughput.find(({ receivers }) => receivers === 10) ?? { rounds: [] })
  const ratio = medianP99(deadReceiver.oneDead) / medianP99(deadReceiver.allHealthy)
  const behind = backlog.with.deliveries.p99Ms
  const { allHealthy, oneDead } = deadReceiver
  const missing = [latency, allHealthy, oneDead, backlog.without.deliveries, backlog.with.deliveries].reduce(
    (sum, each: LatencySummary) => sum + each.missing,
    0,
  )
  const row = (aim: string, found: string, isMet: boolean) => [aim, found, isMet ? 'met' : 'missed']
  return markdownTable(
    ['aim', 'found', ''],
    [
      row('at least 2,000 durable deliveries a second to 10 receivers', `${count(rate)}/s`, rate >= 2_000),
      row(
        `p99 from commit to receipt below 250 ms, at ${eventsPerSecond} events a second`,
        ms(latency.p99Ms),
        latency.p99Ms < 250,
      ),
      row(
        'with one dead receiver among 20, the p99 of the others at most 10 % worse',
        `${ratio.toFixed(2)} times`,
        ratio <= 1.1,
      ),
      row(
        `with ${count(backlog.pending)} pending deliveries, those to healthy receivers arrive within a second (p99)`,
        ms(behind),
        behind < 1_000,
      ),
      row('no delivery to a healthy receiver is missing', String(missing), missing === 0),
    ],
  )
}

function throughputRow({ receivers, rounds }: Throughput): string[] {
  const cost = (part: keyof Round['cpuMicros']) =>
    `${Math.round(mean(rounds.map(({ cpuMicros }) => cpuMicros[part])))} µs`
  const rates = rounds.map(({ perSecond }) => count(perSecond)).join(', ')
  return [
    String(receivers),
    `${count(rateOf({ rounds }))}/s`,
    rates,
    cost('service'),
    cost('postgres'),
    cost('receivers'),
  ]
}

function comparisonRow(what: string, rounds: DeadReceiverSummary): string[] {
  const p99s = [ms(rounds.p99Ms), ms(medianP99(rounds)), rounds.roundP99sMs.map(ms).join(', ')]
  return [what, count(rounds.deliveries), ms(rounds.p50Ms), ...p99s, String(rounds.missing)]
}

function backlogRows({ without, with: withBacklog }: WebhookFigures['backlog']): string[][] {
  const row = (what: string, cell: (side: UnderLoadSummary) => string) => [what, ...[without, withBacklog].map(cell)]
  return [
    row('memory before, MiB', ({ residentMiB }) => count(residentMiB.before)),
    row('peak memory, MiB', ({ residentMiB }) => count(residentMiB.peak)),
    row('API requests', ({ api }) => `${count(api.requests)}, ${api.errors} errors`),
    row('API p50', ({ api }) => ms(api.p50Ms)),
    row('API p99', ({ api }) => ms(api.p99Ms)),
    row('commit to receipt p50', ({ deliveries }) => ms(deliveries.p50Ms)),
    row('commit to receipt p99', ({ deliveries }) => ms(deliveries.p99Ms)),
    row('missing deliveries', ({ deliveries }) => String(deliveries.missing)),
  ]
}
