import { readFileSync } from 'node:fs'

/** The benchmarks whose results are kept, in the order of the page. Each has the command `npm run bench:NAME`; `requests` has `npm run bench`. */
export const benchmarkNames = [
  'requests',
  'journeys',
  'memory',
  'start',
  'idle',
  'event-loop',
  'protection',
  'audit',
  'upstreams',
  'webhooks',
  'webhook-lists',
  'contract-feed',
  'addresses',
  'growth',
] as const
export type BenchmarkName = (typeof benchmarkNames)[number]

/** What a benchmark found, and where and when. */
export interface Result {
  /** The date of the run, as yyyy-mm-dd. */
  measuredOn: string
  command: string
  /** What a reader should know about the run, in a sentence. */
  note?: string
  machine: Machine
  figures: object
}

/** Null is what an older run did not note. */
interface Machine {
  cores: number
  processor: string | null
  memoryGiB: number | null
  node: string
  postgres: string | null
  loadBefore: number | null
  loadAfter: number | null
}

/** The latest results of each benchmark. */
export type Results = Partial<Record<BenchmarkName, Result>>

export const resultsFile = new URL('../../docs/benchmarks/results.json', import.meta.url)

/** What is in docs/benchmarks/results.json. */
export function readResults(): Results {
  return JSON.parse(readFileSync(resultsFile, 'utf8'))
}
