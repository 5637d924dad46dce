import { parseArgs } from 'node:util'
import { connections, measureTurn, type Turn, warmUp } from './requests/measure.ts'
import { summarise, tableOf } from './requests/report.ts'
import { prepareScenarios, type Scenario } from './requests/scenarios.ts'
import { startServers } from './requests/servers.ts'
import { beginRun } from './results.ts'
import '../test/support/loopback-only.ts'

/*
 * `npm run bench`: the rate, latency and processor time of the operations that a partner's page waits for, each beside its baselines in
 * the same rounds. The service runs as shipped in a sandbox, with the limits off and logging errors only.
 * `npm run bench -- get-quote token --seconds 2` measures only these; only a complete run is recorded. Loopback only; takes five minutes.
 */

const { values, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '5' }, rounds: { type: 'string', default: '3' } },
})
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)]

const run = beginRun('requests')
const servers = await startServers()
try {
  const scenarios = select(await prepareScenarios(servers))
  const turns = new Map<string, Turn[]>(scenarios.map(({ name }) => [name, []]))
  const rates = new Map<string, number>()
  for (const scenario of scenarios) rates.set(scenario.name, await warmUp(scenario, servers, seconds))
  for (let round = 0; round < rounds; round += 1) {
    for (const scenario of scenarios) {
      // PostgreSQL does this by itself within a minute; until then, plans made for a few rows would be measured.
      await servers.service.database.query('analyze')
      const turn = await measureTurn(scenario, servers, (rates.get(scenario.name) ?? 0) * seconds)
      turns.get(scenario.name)?.push(turn)
    }
  }
  const figures = { seconds, rounds, connections, scenarios: summarise(scenarios, turns) }
  console.log(tableOf(figures.scenarios))
  if (chosen.length === 0 && seconds >= 5 && rounds >= 3) await run.record(figures)
} finally {
  await servers.service.stop()
}

/** The scenarios that were named, with their baselines; all of them if none was. */
function select(all: readonly Scenario[]): readonly Scenario[] {
  const unknown = chosen.filter((name) => !all.some((scenario) => scenario.name === name))
  if (unknown.length > 0)
    throw new Error(`no scenario ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`)
  if (chosen.length === 0) return all
  const wanted = new Set(
    all.filter(({ name }) => chosen.includes(name)).flatMap(({ name, baselines }) => [name, ...baselines]),
  )
  return all.filter(({ name }) => wanted.has(name))
}
