import { markdownTable } from '../page/markdown-table.ts'

/** What a run of `npm run bench:contract-feed` found: contracts a second. */
export interface ContractFeedFigures {
  contracts: number
  databaseSize: string
  rowsPerSecond: number
  feedPerSecond: number
  exportPerSecond: number
  exportPeakMiB: number
}

const count = (value: number) => Math.round(value).toLocaleString('en-GB')

/** The section about the operator's feed. */
export function reportContractFeed(figures: ContractFeedFigures): string {
  const { contracts, databaseSize, rowsPerSecond, feedPerSecond, exportPerSecond, exportPeakMiB } = figures
  const row = (what: string, perSecond: number) => [
    what,
    `${count(perSecond)}/s`,
    (perSecond / rowsPerSecond).toFixed(3),
  ]
  return `${count(contracts)} contracts (${databaseSize} in PostgreSQL) leave through the operator API and through an export, compared with reading the same rows and nothing
else. The export used at most ${exportPeakMiB} MiB of memory.

${markdownTable(
  ['', 'contracts a second', 'ratio'],
  [
    row('reading the rows', rowsPerSecond),
    row('`GET /operator-api/Contracts`', feedPerSecond),
    row('`housebill contracts export`', exportPerSecond),
  ],
)}`
}
