import type { Pool } from 'pg'
import { findFreePort, spawnServer } from '../child-service.ts'
import { markdownTable, ms, ratio, whole } from '../markdown-table.ts'
import { type MeasuredService, type Server, startMeasuredService } from '../measured-service.ts'
import type { Run, Scenario } from '../scenario.ts'
import { type Figures, isSteady, measureTurn, summarise, type Turn, total } from './measure-turn.ts'
import { duties, dutyHolders, type PeerOperation, startPeer } from './peers.ts'
import { type Operation, prepareReferenceOperations, prepareServiceOperations } from './prepare-operations.ts'
import { referenceTables } from './reference-tables.ts'

/** The most processor time that an operation may cost: so many times that of the reference server, or microseconds. */
const limits: Readonly<
  Record<string, { times: number; aim: number; of: 'create' | 'get' | 'logged-get' } | { micros: number; aim: number }>
> = {
  'create-quote': { times: 2, aim: 1.6, of: 'create' },
  'create-with-key': { times: 2.5, aim: 2, of: 'create' },
  household: { times: 5, aim: 3.5, of: 'create' },
  'get-quote': { times: 1.7, aim: 1.4, of: 'get' },
  'total-cost': { times: 1.6, aim: 1.3, of: 'get' },
  'get-customer': { times: 2.2, aim: 1.8, of: 'logged-get' },
  lookup: { micros: 200, aim: 160 },
  versions: { micros: 150, aim: 120 },
  preview: { micros: 50_000, aim: 40_000 },
}

interface Measured<Of extends Operation = Operation> {
  operation: Of
  server: Server
  turns: Turn[]
  /** Connects to the database that is used, if it is not the service's. */
  pool?: Pool
}

/**
 * The processor time, rate and latency of the operations that a partner's page waits for, over 32 connections, beside
 * those of a server that has the same duties and nothing else.
 */
export const ladder: Scenario = {
  maxMinutes: ({ isQuick }) => (isQuick ? 3 : 40),
  async measure(run) {
    const [seconds, rounds, connections] = run.isQuick ? [0.2, 1, 4] : [4, 4, 32]
    const measured = await startMeasuredService(run, { LOG_LEVEL: 'info' })
    const own = await prepareServiceOperations(run, measured)
    const service = own.map((operation): Measured => ({ operation, server: measured, turns: [] }))
    const server = await startReferenceServer(run, measured)
    const referenceOperations = await prepareReferenceOperations(run, measured, server)
    const reference = referenceOperations.map((operation): Measured => ({ operation, server, turns: [] }))
    const peer = await startPeer(run, measured)
    const peers =
      peer?.operations.map((operation): Measured<PeerOperation> => ({ ...peer, operation, turns: [] })) ?? []
    const all: Measured[] = [...reference, ...service, ...peers]
    const counts = new Map<Measured, number>()
    for (const each of all) {
      const first = await measureOnce(each, measured, 1, connections)
      const second = await measureOnce(each, measured, first.perSecond * seconds, connections)
      counts.set(each, second.perSecond * seconds)
    }
    for (let round = 1; round <= rounds; round += 1) {
      for (const each of all) {
        // Otherwise, plans made for few rows would be measured until PostgreSQL does this by itself.
        await (each.pool ?? measured.pool).query('analyze')
        each.turns.push(await measureOnce(each, measured, counts.get(each) ?? 1, connections))
      }
      run.say(`round ${round} of ${rounds}`)
    }
    const figuresOf = (name: string) => {
      const found = reference.find(({ operation }) => operation.name === name)
      return summarise(found?.turns ?? [])
    }
    return `${connections} connections, ${rounds} rounds of ${seconds} s each, all tables analysed before each turn. Processor time is that of the round with the least, of all processes of the server and of PostgreSQL, for one request. A rate that differs by more than 15 % between rounds is unsteady.

${referenceTable(reference)}

${serviceTable(service, figuresOf)}

${peersTable(peers, service)}

${markdownTable(dutyHolders, duties)}`
  },
}

/** A server with hand-written SQL on the service's PostgreSQL. */
async function startReferenceServer(run: Run, { url, pool, connectionString }: MeasuredService): Promise<Server> {
  await pool.query(referenceTables)
  const port = await findFreePort()
  const program = ['bench/requests/reference-server.ts', connectionString, String(port), `${url}/.well-known/jwks.json`]
  const { processId } = await spawnServer(run, program, port)
  return { url: `http://127.0.0.1:${port}`, processId }
}

function measureOnce(
  { operation, server }: Measured,
  { postmasterId }: MeasuredService,
  count: number,
  connections: number,
): Promise<Turn> {
  return measureTurn(operation, { server, postmasterId }, { count, connections })
}

function referenceTable(reference: readonly Measured[]): string {
  const rows = reference.map(({ operation, turns }) => {
    const figures = summarise(turns)
    return [operation.title, inMicros(figures), whole(total(figures))]
  })
  return markdownTable(['reference', 'server + PostgreSQL, µs', 'together'], rows)
}

function serviceTable(service: readonly Measured[], referenceOf: (name: string) => Figures): string {
  const rows = service.map(({ operation, turns }) => {
    const figures = summarise(turns)
    return [
      operation.title,
      inMicros(figures),
      verdict(operation.name, figures, referenceOf),
      rateOf(figures),
      ms(figures.p50Ms),
      ms(figures.p99Ms),
    ]
  })
  const head = ['', 'server + PostgreSQL, µs', 'against its limit', 'each second', 'p50', 'p99']
  return markdownTable(head, rows)
}

/** PostGraphile beside the service's operations that compare with its own. */
function peersTable(peers: readonly Measured<PeerOperation>[], service: readonly Measured[]): string {
  const rows = peers.map(({ operation, turns }) => {
    const figures = summarise(turns)
    const own = summarise(service.find((each) => each.operation.name === operation.name)?.turns ?? [])
    const times = own.perSecond / figures.perSecond
    const { leastTimes = 0 } = operation
    const limit = leastTimes === 0 ? '' : ` (least ${leastTimes})${times < leastTimes ? ': missed' : ''}`
    return [
      operation.title,
      inMicros(figures),
      rateOf(figures),
      `${ratio(times)}${limit}`,
      ratio(total(figures) / total(own)),
    ]
  })
  const head = ['', 'server + PostgreSQL, µs', 'each second', 'our rate ÷ theirs', 'their µs ÷ ours']
  return rows.length === 0 ? 'Without PostGraphile.' : markdownTable(head, rows)
}

function rateOf(figures: Figures): string {
  const { lowest, highest } = figures.rates
  return isSteady(figures) ? whole(figures.perSecond) : `${whole(lowest)} to ${whole(highest)}, unsteady`
}

function verdict(name: string, figures: Figures, referenceOf: (name: string) => Figures): string {
  const limit = limits[name]
  if (limit === undefined) return ''
  const spent = total(figures)
  if ('micros' in limit)
    return `${whole(spent)} µs (at most ${whole(limit.micros)}, aim ${whole(limit.aim)})${spent > limit.micros ? ': missed' : ''}`
  const times = spent / total(referenceOf(limit.of))
  return `${ratio(times)} × ${limit.of} (at most ${limit.times}, aim ${limit.aim})${times > limit.times ? ': missed' : ''}`
}

function inMicros({ serverMicros, postgresMicros }: Figures): string {
  return `${whole(serverMicros)} + ${whole(postgresMicros)}`
}
