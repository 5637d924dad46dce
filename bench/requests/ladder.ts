import { markdownTable, ms, ratio, whole } from '../markdown-table.ts'
import type { Scenario } from '../scenario.ts'
import { measureTurn, type OperationFigures, summarise, type Turn } from './measure-turn.ts'
import { type Operation, prepareOperations } from './prepare-operations.ts'
import { type Servers, startServers } from './servers.ts'

/** The least ratios that we aim at on the highest rung, by operation and baseline. */
const leastRatios: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'create-quote': { 'bare-insert': 0.35, 'mock-create': 1.15 },
  'get-quote': { 'bare-select': 0.5, 'mock-get': 2 },
  'total-cost': { 'bare-select': 0.5 },
  lookup: { 'bare-select': 0.55 },
  'get-customer': { 'bare-select': 0.3 },
  token: { 'bare-nothing': 0.1 },
}

/**
 * The rate, latency and processor time of the operations that a partner's page waits for, over more and more
 * connections, each right after its baselines in the same round.
 */
export const ladder: Scenario = {
  maxMinutes: ({ isQuick }) => (isQuick ? 2 : 20),
  async measure(run) {
    const rungs = run.isQuick ? [4] : [1, 8, 32]
    const [seconds, rounds] = run.isQuick ? [0.2, 1] : [3, 3]
    const servers = await startServers(run)
    const operations = await prepareOperations(run, servers)
    const found: Map<string, OperationFigures>[] = []
    for (const connections of rungs) {
      found.push(summarise(operations, await climb(operations, servers, { connections, seconds, rounds })))
      run.say(`measured with ${connections} connections`)
    }
    const rates = rungs.map((rung) => `each second, ${rung} connections`)
    return `Medians of ${rounds} rounds of ${seconds} s each. All columns but the rates are for ${rungs.at(-1)} connections.\n\n${tableOf(operations, rates, found)}`
  },
}

/** The turns of each operation on one rung, after a turn to warm up that also finds how many requests fill the time. */
async function climb(
  operations: readonly Operation[],
  servers: Servers,
  { connections, seconds, rounds }: { connections: number; seconds: number; rounds: number },
): Promise<Map<string, Turn[]>> {
  const turns = new Map<string, Turn[]>(operations.map(({ name }) => [name, []]))
  const counts = new Map<string, number>()
  for (const operation of operations) {
    const first = await measureTurn(operation, servers, { count: 1, connections })
    const second = await measureTurn(operation, servers, { count: first.perSecond * seconds, connections })
    counts.set(operation.name, second.perSecond * seconds)
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const operation of operations) {
      // PostgreSQL does this by itself within a minute; until then, plans made for a few rows would be measured.
      await servers.service.pool.query('analyze')
      const count = counts.get(operation.name) ?? 1
      turns.get(operation.name)?.push(await measureTurn(operation, servers, { count, connections }))
    }
  }
  return turns
}

function tableOf(
  operations: readonly Operation[],
  rates: readonly string[],
  found: readonly Map<string, OperationFigures>[],
): string {
  const highest = found.at(-1)
  const ratiosOf = (name: string, prefix: string) =>
    Object.entries(highest?.get(name)?.ratios ?? {})
      .filter(([baseline]) => baseline.startsWith(prefix))
      .map(([baseline, value]) => `${ratio(value)} (aim ${leastRatios[name]?.[baseline]?.toFixed(2)})`)
      .join()
  const rows = operations.map(({ name, title }) => {
    const { p50Ms = 0, p99Ms = 0, serverMicros = 0, postgresMicros = 0 } = highest?.get(name) ?? {}
    return [
      title,
      ...found.map((rung) => whole(rung.get(name)?.perSecond ?? 0)),
      ratiosOf(name, 'bare-'),
      ratiosOf(name, 'mock-'),
      ...[p50Ms, p99Ms].map(ms),
      `${whole(serverMicros)} + ${whole(postgresMicros)} µs`,
    ]
  })
  const columns = ['ratio to bare', 'ratio to the mock', 'p50', 'p99', 'processor time, server + PostgreSQL']
  return markdownTable(['', ...rates, ...columns], rows)
}
