import { findFreePort, type ServerProcess, spawnServer, startService } from './child-service.ts'
import { markdownTable, ms, ratio } from './markdown-table.ts'
import { makeDataFolder } from './measured-service.ts'
import { median } from './percentile.ts'
import type { Scenario } from './scenario.ts'

/** The aims for the medians, in seconds. */
const atMost = { 'empty data folder': 1.8, 'used data folder': 1.1 }
/** It connects to PostgreSQL at its first request. */
const bareServer = ['bench/requests/reference-server.ts', 'postgresql://127.0.0.1']
const kinds = ['bare Fastify', 'empty data folder', 'used data folder'] as const

/**
 * The time and processor time from the command to ready, with an empty data folder and with a used one, beside bare
 * Fastify's.
 */
export const start: Scenario = {
  maxMinutes: ({ isQuick }) => (isQuick ? 1 : 3),
  async measure(run) {
    const rounds = run.isQuick ? 1 : 5
    const starts: ServerProcess[][] = []
    for (let round = 0; round < rounds; round += 1) {
      const dataDir = await makeDataFolder(run)
      const one: ServerProcess[] = []
      for (const kind of kinds) {
        const port = await findFreePort()
        const server =
          kind === 'bare Fastify'
            ? spawnServer(run, [...bareServer, String(port), 'http://127.0.0.1'], port)
            : startService(run, dataDir, port)
        one.push(await server)
        await one.at(-1)?.stop()
      }
      starts.push(one)
      run.say(`round ${round + 1} of ${rounds}`)
    }
    return report(starts)
  },
}

/** `starts` has, for each round, one of each kind. */
function report(starts: readonly (readonly ServerProcess[])[]): string {
  const rows = kinds.map((kind, index) => {
    const times = starts.map((round) => round[index]?.readyAfterMs ?? Number.NaN)
    const ratios = starts.map((round) => (round[index]?.readyAfterMs ?? Number.NaN) / (round[0]?.readyAfterMs ?? 1))
    const aim = kind === 'bare Fastify' ? undefined : atMost[kind]
    return [
      kind,
      ratio(median(ratios)),
      ms(median(starts.map((round) => round[index]?.startMs ?? Number.NaN))),
      ...[median(times), Math.min(...times), Math.max(...times)].map((time) => `${(time / 1_000).toFixed(2)} s`),
      aim === undefined ? '' : `at most ${aim} s: ${median(times) <= aim * 1_000 ? 'met' : 'missed'}`,
    ]
  })
  const columns = ['ratio to bare', 'processor time', 'median', 'shortest', 'longest', 'aim for the median']
  return `${starts.length} starts of each kind.\n\n${markdownTable(['', ...columns], rows)}`
}
