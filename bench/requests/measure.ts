import { startTreeTimer } from '../cpu-time.ts'
import { percentile } from '../percentile.ts'
import { sendRequests } from '../send-requests.ts'
import type { Scenario } from './scenarios.ts'
import type { Servers } from './servers.ts'

export const connections = 32

/** What one turn of a scenario found. */
export interface Turn {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Processor time for each, in microseconds: of the server with all its processes, and of PostgreSQL with all its own. */
  serverMicros: number
  postgresMicros: number
}

/** Warms a scenario up for about as long as a turn takes, and returns its rate. */
export async function warmUp(scenario: Scenario, servers: Servers, seconds: number): Promise<number> {
  const first = await measureTurn(scenario, servers, 1)
  return (await measureTurn(scenario, servers, first.perSecond * seconds)).perSecond
}

/**
 * Counts `count` of a scenario, and at least one for each connection. All requests are answered before this returns, so no turn does
 * work of the one before. The time counts until the scenario's work is done. Throws if a response is not a success.
 */
export async function measureTurn(scenario: Scenario, servers: Servers, count: number): Promise<Turn> {
  const { url, processId } = servers[scenario.server]
  const { requests, mostConnections = connections } = scenario
  const perConnection = Math.max(1, Math.round(count / mostConnections)) * requests.length
  const serverTime = startTreeTimer(processId, [servers.service.postmasterId])
  const postgresTime = startTreeTimer(servers.service.postmasterId)
  const startedAt = performance.now()
  const { times } = await sendRequests({
    url,
    connections: mostConnections,
    amount: perConnection * mostConnections,
    requests: [...requests],
  })
  await scenario.settle?.()
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
