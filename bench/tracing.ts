import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { markdownTable, ratio, whole } from './markdown-table.ts'
import { type MeasuredService, startMeasuredService } from './measured-service.ts'
import { type Figures, measureTurn, summarise, type Turn, total } from './requests/measure-turn.ts'
import { type Operation, prepareServiceOperations } from './requests/prepare-operations.ts'
import type { Run, Scenario } from './scenario.ts'

const measured = ['create-quote', 'get-quote', 'total-cost', 'get-customer']

/** How much of the traces each service records; the most that it may cost in processor time, as a ratio to the first. */
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
 * in nothing else, in turns. How far the two that record nothing differ shows how exact the ratios are.
 */
export const tracing: Scenario = {
  maxMinutes: ({ isQuick }) => (isQuick ? 3 : 25),
  async measure(run) {
    const [seconds, rounds, connections] = run.isQuick ? [0.2, 1, 4] : [2, 8, 32]
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
      const operations = await prepareServiceOperations(run, service)
      all.push(
        measured.map((name) => {
          const operation = operations.find((each) => each.name === name)
          if (operation === undefined) throw new Error(`there is no operation ${name}`)
          return { service, operation, turns: [] }
        }),
      )
    }
    for (const [index] of measured.entries()) {
      const [first] = all.map((each) => each[index])
      if (first === undefined) continue
      const warm = await measureOnce(first, 1, connections)
      const count = (await measureOnce(first, warm.perSecond * seconds, connections)).perSecond * seconds
      for (let round = 0; round <= rounds; round += 1)
        for (const each of inTurn(all, round).flatMap((ofService) => ofService[index] ?? [])) {
          await each.service.pool.query('analyze')
          const turn = await measureOnce(each, count, connections)
          // The first round only warms up.
          if (round > 0) each.turns.push(turn)
        }
      run.say(first.operation.title)
    }
    return report(all, { seconds, rounds, connections })
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
  all: readonly (readonly Measured[])[],
  { seconds, rounds, connections }: { seconds: number; rounds: number; connections: number },
): string {
  const [off = []] = all
  const rows = off.flatMap(({ operation, turns }, index) => {
    const base = summarise(turns)
    return services.map(({ title, atMost }, which) => {
      const figures = summarise(all[which]?.[index]?.turns ?? [])
      const times = total(figures) / total(base)
      return [
        which === 0 ? operation.title : '',
        title,
        inMicros(figures),
        ratio(figures.serverMicros / base.serverMicros),
        ratio(times),
        atMost === undefined ? '' : `at most ${atMost}: ${times <= atMost ? 'met' : 'missed'}`,
      ]
    })
  })
  return `${connections} connections, ${rounds} rounds of ${seconds} s each; processor time of the round with the least, for one request.

${markdownTable(['', 'traces', 'server + PostgreSQL, µs', '× off, server', '× off, both', 'aim for both'], rows)}`
}

function inMicros({ serverMicros, postgresMicros }: Figures): string {
  return `${whole(serverMicros)} + ${whole(postgresMicros)}`
}
