import { percentile } from '../percentile.ts'

/** What one turn of a variant took. */
export interface Turn {
  cpuMicrosecondsPerRequest: number
  requestsPerSecond: number
}

interface Measured {
  /** By call, then by variant: the turns in the order in which they were measured. The first variant is what others are compared with. */
  calls: ReadonlyMap<string, ReadonlyMap<string, readonly Turn[]>>
  rounds: number
  requestsPerTurn: number
  connections: number
  cores: number
  loadBefore: number
  loadAfter: number
}

/** The page `docs/benchmarks/processes.md`. */
export function reportOf({
  calls,
  rounds,
  requestsPerTurn,
  connections,
  cores,
  loadBefore,
  loadAfter,
}: Measured): string {
  return `# What several processes cost

For operators and maintainers. This command runs the benchmark and writes its results to this page:

\`\`\`sh
npm run bench:processes
\`\`\`

Three services run side by side, each with a database of its own on one private PostgreSQL: one process without a parent, a parent
(\`PROCESSES\`) with one process that serves, and a parent with two. In each of ${rounds} rounds, each gets ${requestsPerTurn} requests over ${connections} connections; all
count them against a limit. Processor time is that of the service's processes, parent included, without PostgreSQL. A ratio is the median of the ratios of the
rounds to one process without a parent; 1 means the same.

The figures are from one run on a machine with ${cores} cores (Node ${process.versions.node}), whose load average was ${loadBefore.toFixed(1)} before and ${loadAfter.toFixed(1)} after,
including the load of the benchmark itself. Compare the ratios, not the microseconds. PostgreSQL and the load generator share the
cores with the service, so two processes gain little on two cores.

| | processor time per request | ratio | requests a second, ratio |
|---|---|---|---|
${[...calls].flatMap(([call, variants]) => rowsOf(call, variants)).join('\n')}
`
}

function rowsOf(call: string, variants: ReadonlyMap<string, readonly Turn[]>): string[] {
  const [baseline = []] = variants.values()
  return [...variants].map(([name, turns]) => {
    const ratioOf = (figure: keyof Turn) =>
      percentile(
        turns.map((turn, round) => turn[figure] / (baseline[round]?.[figure] ?? Number.NaN)),
        50,
      ).toFixed(2)
    const cpu = percentile(
      turns.map((turn) => turn.cpuMicrosecondsPerRequest),
      50,
    )
    return `| ${call}: ${name} | ${Math.round(cpu)} µs | ${ratioOf('cpuMicrosecondsPerRequest')} | ${ratioOf('requestsPerSecond')} |`
  })
}
