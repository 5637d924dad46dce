import { startTreeTimer } from '../cpu-time.ts'
import type { Server } from '../measured-service.ts'
import { percentile } from '../percentile.ts'
import { sendRequests } from '../send-requests.ts'
import type { Operation } from './prepare-operations.ts'

/** What one turn of an operation found. */
export interface Turn {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /**
   * Processor time for each, in microseconds: of the server with all its processes, and of PostgreSQL with all its own.
   */
  serverMicros: number
  postgresMicros: number
}

/** All turns of an operation together. */
export interface Figures {
  /** Of the round with the least processor time: other work on the machine only adds to it. */
  serverMicros: number
  postgresMicros: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** The lowest and the highest rate of a round. */
  rates: { lowest: number; highest: number }
}

/** Rates that differ more than this between rounds are unsteady. */
const steadyWithin = 1.15

/**
 * Counts `count` of an operation over so many connections, and at least one for each connection. All requests are
 * answered before this returns, so no turn does work of the one before. The time counts until the work is done. Throws
 * if a response is not a success.
 */
export async function measureTurn(
  operation: Operation,
  { server, postmasterId }: { server: Server; postmasterId: number },
  { count, connections }: { count: number; connections: number },
): Promise<Turn> {
  const { requests, mostConnections = connections } = operation
  const used = Math.min(connections, mostConnections)
  const perConnection = Math.max(1, Math.round(count / used)) * requests.length
  const serverTime = startTreeTimer(server.processId, [postmasterId])
  const postgresTime = startTreeTimer(postmasterId)
  const startedAt = performance.now()
  const { times } = await sendRequests({
    url: server.url,
    connections: used,
    amount: perConnection * used,
    requests: [...requests],
  })
  await operation.settle?.()
  const elapsedMs = performance.now() - startedAt
  const counted = times.length / requests.length
  return {
    perSecond: (counted * 1_000) / elapsedMs,
    p50Ms: percentile(times, 50),
    p99Ms: percentile(times, 99),
    serverMicros: (serverTime() * 1_000) / counted,
    postgresMicros: (postgresTime() * 1_000) / counted,
  }
}

/** Takes the turn with the least processor time, and the range of the rates. Throws without a turn. */
export function summarise(turns: readonly Turn[]): Figures {
  const [least] = [...turns].sort((one, other) => total(one) - total(other))
  if (least === undefined) throw new Error('nothing was measured')
  const rates = turns.map(({ perSecond }) => perSecond)
  return { ...least, rates: { lowest: Math.min(...rates), highest: Math.max(...rates) } }
}

/** The processor time of the server and of PostgreSQL for one request, in microseconds. */
export function total({ serverMicros, postgresMicros }: Pick<Turn, 'serverMicros' | 'postgresMicros'>): number {
  return serverMicros + postgresMicros
}

/** Whether the rates of the rounds are so close to each other that one of them can stand for all. */
export function isSteady({ rates }: Pick<Figures, 'rates'>): boolean {
  return rates.highest <= rates.lowest * steadyWithin
}
