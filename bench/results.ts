import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { findDistribution } from '../private-postgres/distribution.ts'
import { type BenchmarkName, readResults, resultsFile } from './page/results-file.ts'
import { writePage } from './page/write-page.ts'

/** One run of a benchmark, from its beginning. */
export interface Run {
  /** Writes what the run found into docs/benchmarks/results.json, and then the page of all benchmarks. */
  record(figures: object): Promise<void>
}

/** Call this before anything else, because it notes how busy the machine is. */
export function beginRun(name: BenchmarkName): Run {
  const [before = 0] = loadavg()
  return {
    async record(figures) {
      const [after = 0] = loadavg()
      const parameters = process.argv.slice(2)
      const results = readResults()
      results[name] = {
        measuredOn: new Date().toISOString().slice(0, 10),
        command: `npm run bench${name === 'requests' ? '' : `:${name}`}${parameters.length > 0 ? ` -- ${parameters.join(' ')}` : ''}`,
        machine: {
          cores: cpus().length,
          processor: cpus()[0]?.model.trim() ?? 'unknown',
          memoryGiB: round(totalmem() / 2 ** 30),
          node: process.versions.node,
          postgres: postgresVersion(),
          loadBefore: round(before),
          loadAfter: round(after),
        },
        figures,
      }
      writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
      await writePage()
      console.log('written: docs/benchmarks/')
    },
  }
}

const round = (value: number) => Math.round(value * 10) / 10

/** The version of the private PostgreSQL, which all benchmarks use. */
function postgresVersion(): string {
  const program = join(findDistribution().folder, 'bin', 'postgres')
  return execFileSync(program, ['--version'], { encoding: 'utf8' })
    .replace(/^.*\) /, '')
    .trim()
}
