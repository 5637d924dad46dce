import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { markdownTable, ratio, whole } from './markdown-table.ts'
import { type MeasuredService, startMeasuredService } from './measured-service.ts'
import { median } from './percentile.ts'
import { measureTurn, type Turn, total } from './requests/measure-turn.ts'
import { type Operation, prepareServiceOperations } from './requests/prepare-operations.ts'
import type { Run, Scenario } from './scenario.ts'

const measured = ['create-quote', 'get-quote']

/** How much of the traces each service records; the most that a request may cost, as a ratio to the first. */
const services = [
  { title: 'off', share: undefined, atMost: undefined },
  { title: 'off, once more', share: undefined, atMost: undefined },
  { title: '1 %', share: '0.01', atMost: 1.03 },
  { title: 'all', share: '1', atMost: 1.15 },
] as const

interface Measured {
  service: MeasuredService
  operation: Operation
  turns: Turn[]
}

/**
 * What recording traces and sending them to a collector costs: the processor time of a request of services that differ
 * in nothing else. They take short turns, so that what changes the machine's speed changes that of all, and the ratios
 * are those within a round. How far the two that record nothing differ shows how exact they are.
 */
export const tracing: Scenario = {
  maxMinutes: ({ isQuick }) => (isQuick ? 3 : 25),
  async measure(run) {
    const [seconds, rounds, connections] = run.isQuick ? [0.2, 1, 4] : [1, 25, 32]
    const endpoint = await startCollector(run)
    const all: Measured[][] = []
    for (const { share } of services) {
      const service = await startMeasuredService(run, {
        LOG_LEVEL: 'info',
        ...(share === undefined
          ? {}
          : {
              OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
              OTEL_TRACES_SAMPLER: 'traceidratio',
              OTEL_TRACES_SAMPLER_ARG: share,
            }),
      })
      const operations = (await prepareServiceOperations(run, service)).filter(({ name }) => measured.includes(name))
      all.push(operations.map((operation) => ({ service, operation, turns: [] })))
    }
    const byOperation = measured.map((_, index) => all.flatMap((ofService) => ofService[index] ?? []))
    for (const each of byOperation) {
      // So many that processor time, which the kernel counts in steps of 10 ms, is exact enough.
      let count = run.isQuick ? 1 : 1_000
      // The code is compiled meanwhile.
      for (let warming = 0; warming < (run.isQuick ? 1 : 4); warming += 1)
        for (const one of each) {
          await one.service.pool.query('analyze')
          count = (await measureOnce(one, count, connections)).perSecond * seconds
        }
      for (let round = 0; round < rounds; round += 1)
        for (const one of inTurn(each, round)) one.turns.push(await measureOnce(one, count, connections))
      run.say(each[0]?.operation.title ?? '')
    }
    return report(byOperation, { seconds, rounds, connections })
  },
}

/** Another service begins each round, so that none always follows the same one. */
function inTurn<Item>(items: readonly Item[], round: number): Item[] {
  const first = round % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

function measureOnce({ service, operation }: Measured, count: number, connections: number): Promise<Turn> {
  return measureTurn(operation, { server: service, postmasterId: service.postmasterId }, { count, connections })
}

/** Accepts all that is sent to it, in this process, whose processor time is not measured. */
async function startCollector(run: Run): Promise<string> {
  const server = createServer((request, response) => request.resume().on('end', () => response.end()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  run.atEnd(async () => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function report(
  byOperation: readonly (readonly Measured[])[],
  { seconds, rounds, connections }: { seconds: number; rounds: number; connections: number },
): string {
  const rows = byOperation.flatMap((each) =>
    each.map(({ operation, turns }, which) => {
      const off = each[0]?.turns ?? []
      const times = (micros: (turn: Turn) => number) =>
        median(turns.flatMap((turn, round) => (off[round] === undefined ? [] : [micros(turn) / micros(off[round])])))
      const ofBoth = times(total)
      const { title = '', atMost } = services[which] ?? {}
      return [
        which === 0 ? operation.title : '',
        title,
        `${whole(median(turns.map(server)))} + ${whole(median(turns.map(postgres)))}`,
        ratio(times(server)),
        ratio(ofBoth),
        atMost === undefined ? '' : `at most ${atMost}: ${ofBoth <= atMost ? 'met' : 'missed'}`,
      ]
    }),
  )
  return `${connections} connections, ${rounds} rounds of ${seconds} s each; processor time for one request, and its ratio within a round: medians.

${markdownTable(['', 'traces', 'server + PostgreSQL, µs', '× off, server', '× off, both', 'aim for both'], rows)}`
}

const server = ({ serverMicros }: Turn) => serverMicros
const postgres = ({ postgresMicros }: Turn) => postgresMicros
