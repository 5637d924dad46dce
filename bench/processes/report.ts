import { markdownTable } from '../page/markdown-table.ts'
import { percentile } from '../percentile.ts'

/** What one turn of a variant took. */
export interface Turn {
  cpuMicrosecondsPerRequest: number
  requestsPerSecond: number
}

/** What a run of `npm run bench:processes` found. Ratios are the medians of the rounds' ratios to the first variant. */
export interface ProcessesFigures {
  rounds: number
  requestsPerTurn: number
  connections: number
  calls: readonly { call: string; variant: string; cpuMicros: number; cpuRatio: number; rateRatio: number }[]
}

const median = (values: readonly number[]) => percentile(values, 50)

/**
 * Takes the medians. `calls` has, by call, then by variant, the turns in the order in which they were measured. The first variant is what
 * others are compared with.
 */
export function summarise(calls: ReadonlyMap<string, ReadonlyMap<string, readonly Turn[]>>): ProcessesFigures['calls'] {
  return [...calls].flatMap(([call, variants]) => {
    const [baseline = []] = variants.values()
    return [...variants].map(([variant, turns]) => {
      const ratio = (figure: keyof Turn) =>
        median(turns.map((turn, round) => turn[figure] / (baseline[round]?.[figure] ?? Number.NaN)))
      return {
        call,
        variant,
        cpuMicros: median(turns.map((turn) => turn.cpuMicrosecondsPerRequest)),
        cpuRatio: ratio('cpuMicrosecondsPerRequest'),
        rateRatio: ratio('requestsPerSecond'),
      }
    })
  })
}

/** The section about several processes. */
export function reportProcesses({ rounds, requestsPerTurn, connections, calls }: ProcessesFigures): string {
  return `Three services run side by side, each with a database of its own on one private PostgreSQL: one process without a parent, a parent
(\`PROCESSES\`) with one process that serves, and a parent with two. In each of ${rounds} rounds, each gets ${requestsPerTurn} requests over ${connections} connections; all
count them against a limit. Processor time is that of the service's processes, parent included, without PostgreSQL. A ratio is the median of the ratios of the
rounds to one process without a parent; 1 means the same. PostgreSQL and the load generator share the cores with the service, so two processes gain little
on two cores. Few rounds on a busy machine vary widely.

${markdownTable(
  ['', 'processor time per request', 'ratio', 'requests a second, ratio'],
  calls.map(({ call, variant, cpuMicros, cpuRatio, rateRatio }) => [
    `${call}: ${variant}`,
    `${Math.round(cpuMicros)} µs`,
    cpuRatio.toFixed(2),
    rateRatio.toFixed(2),
  ]),
)}`
}
