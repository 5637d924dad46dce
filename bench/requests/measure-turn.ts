import { startTreeTimer } from '../cpu-time.ts'
import { median, percentile } from '../percentile.ts'
import { sendRequests } from '../send-requests.ts'
import type { Operation } from './prepare-operations.ts'
import type { Servers } from './servers.ts'

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

/** The medians of an operation's rounds on one rung. */
export interface OperationFigures extends Turn {
  /** By the name of the baseline: the median of the rounds' ratios. */
  ratios: Record<string, number>
}

/**
 * Counts `count` of an operation over so many connections, and at least one for each connection. All requests are
 * answered before this returns, so no turn does work of the one before. The time counts until the work is done. Throws
 * if a response is not a success.
 */
export async function measureTurn(
  operation: Operation,
  servers: Servers,
  { count, connections }: { count: number; connections: number },
): Promise<Turn> {
  const { url = '', processId = 0 } = servers[operation.server] ?? {}
  const { requests, mostConnections = connections } = operation
  const used = Math.min(connections, mostConnections)
  const perConnection = Math.max(1, Math.round(count / used)) * requests.length
  const serverTime = startTreeTimer(processId, [servers.service.postmasterId])
  const postgresTime = startTreeTimer(servers.service.postmasterId)
  const startedAt = performance.now()
  const { times } = await sendRequests({
    url,
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

/** Takes the medians of all turns, and of the ratios to the baselines' turns in the same round. */
export function summarise(
  operations: readonly Pick<Operation, 'name' | 'baselines'>[],
  turns: ReadonlyMap<string, readonly Turn[]>,
): Map<string, OperationFigures> {
  const figures = operations.map(({ name, baselines }): [string, OperationFigures] => {
    const own = turns.get(name) ?? []
    const of = (figure: keyof Turn) => median(own.map((turn) => turn[figure]))
    const ratioTo = (baseline: string) =>
      median(own.map(({ perSecond }, round) => perSecond / (turns.get(baseline)?.[round]?.perSecond ?? Number.NaN)))
    const [perSecond, p50Ms, p99Ms] = [of('perSecond'), of('p50Ms'), of('p99Ms')]
    const [serverMicros, postgresMicros] = [of('serverMicros'), of('postgresMicros')]
    const ratios = Object.fromEntries(baselines.map((baseline) => [baseline, ratioTo(baseline)]))
    return [name, { perSecond, p50Ms, p99Ms, serverMicros, postgresMicros, ratios }]
  })
  return new Map(figures)
}
