import { markdownTable } from '../page/markdown-table.ts'

/** What a run of `npm run bench:funnel` found. */
export interface FunnelFigures {
  quotes: number
  partners: number
  databaseSize: string
  rowsKept: number
  countEverythingMs: number
  countAgain: { changedQuotes: number; ms: number }
  /** Reads; the first is what the others are compared with. */
  reads: readonly { name: string; p50Ms: number; p99Ms: number }[]
  countInOneStatementMs: number
  /** Microseconds for an insert into quotes. */
  insertMicros: { without: number; withIndex: number }
}

const count = (value: number) => value.toLocaleString('en-GB')

/** The section about the funnel. */
export function reportFunnel(figures: FunnelFigures): string {
  const { quotes, partners, databaseSize, rowsKept, countEverythingMs, countAgain, reads, insertMicros } = figures
  const { countInOneStatementMs: direct } = figures
  const rows = reads[0]?.p50Ms ?? Number.NaN
  return `${count(quotes)} quotes of ${count(partners)} partners on 366 days (${databaseSize} in PostgreSQL). The job keeps ${count(rowsKept)} rows. It counted everything in ${(countEverythingMs / 1_000).toFixed(2)} s, and
again in ${(countAgain.ms / 1_000).toFixed(2)} s after ${count(countAgain.changedQuotes)} quotes had changed. The index of the quotes' creation makes an insert of ${insertMicros.without.toFixed(1)} µs take ${insertMicros.withIndex.toFixed(1)} µs.

${markdownTable(
  ['', 'p50', 'p99', 'ratio'],
  [
    ...reads.map(({ name, p50Ms, p99Ms }) => [
      name,
      `${p50Ms.toFixed(1)} ms`,
      `${p99Ms.toFixed(1)} ms`,
      (p50Ms / rows).toFixed(1),
    ]),
    ['counting 30 days in one statement, once', `${direct.toFixed(1)} ms`, '', (direct / rows).toFixed(0)],
  ],
)}`
}
