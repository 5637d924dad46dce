import type { Compared } from './calls.ts'
import { type PerQuote, soldOneIn } from './journeys.ts'

const quotesPerDay = 100_000
const days = 365
/** The days after which rows leave; rows of other tables stay. */
const keptDays: Readonly<Record<string, number>> = {
  idempotency_keys: 7,
  events: 30,
  delivery_history: 30,
  audit_log: 7 * 365,
}

/** What was measured. `sizes` are bytes by table, with indexes. */
export interface GrowthFigures {
  count: number
  emptyCount: number
  times: number
  minutesToFill: number
  sizes: readonly (readonly [table: string, bytes: number])[]
  compared: readonly Compared[]
  perQuote: Omit<PerQuote, 'tables'> & {
    tables: readonly (readonly [table: string, { rows: number; bytes: number }])[]
  }
}

/** The section of the page about this benchmark. */
export function reportGrowth({
  count,
  emptyCount,
  times,
  minutesToFill,
  sizes,
  compared,
  perQuote,
}: GrowthFigures): string {
  return `### ${spell(count)} quotes against an empty database

Two services, each with a database of its own. One has ${spell(emptyCount)} quotes, the other ${spell(count)}, made in SQL in ${minutesToFill.toFixed(0)} minutes: over a year, by 20
partners, of which the caller has 60 %, with a tenant each. Calls look for quotes that are spread over that year. They are sent one at a time over HTTP, in
turns to either service, ${times} times; the ratio is that of the medians. The aim is at most 1.3. If the load exceeds the number of cores, other programs ran at
the same time: then the times are too long, and only the ratios can be compared.

| Call | empty p50 | full p50 | empty p99 | full p99 | ratio |
|---|---|---|---|---|---|
${compared
  .map(
    ({ name, empty, full, ratio }) =>
      `| ${name} | ${ms(empty.p50)} | ${ms(full.p50)} | ${ms(empty.p99)} | ${ms(full.p99)} | ${ratio.toFixed(2)} |`,
  )
  .join('\n')}

| Table, with indexes | on disk | bytes per quote |
|---|---|---|
${sizes
  .filter(([, bytes]) => bytes > 10_000_000)
  .map(([name, bytes]) => `| \`${name}\` | ${size(bytes)} | ${Math.round(bytes / count)} |`)
  .join('\n')}

The copies have no audit entries, events or deliveries. Their size is worked out below.

${year(perQuote)}`
}

function year({ tables, walBytes }: GrowthFigures['perQuote']): string {
  const byTable = new Map(tables)
  const perYear = quotesPerDay * days
  const rows = tables.map(([name, { rows: rowsOfQuote, bytes }]) => {
    const kept = keptDays[name]
    const keptQuotes = quotesPerDay * Math.min(kept ?? days, days)
    return { name, rowsOfQuote, bytes, kept, rowsAtEnd: rowsOfQuote * keptQuotes, bytesAtEnd: bytes * keptQuotes }
  })
  rows.sort((one, other) => other.bytesAtEnd - one.bytesAtEnd)
  const total = rows.reduce((sum, { bytesAtEnd }) => sum + bytesAtEnd, 0)
  const written = rows.reduce((sum, { bytes }) => sum + bytes * perYear, 0)
  const audit = byTable.get('audit_log')
  const auditYear = (audit?.bytes ?? 0) * perYear
  return `### A year at ${spell(quotesPerDay)} quotes a day

Worked out from what journeys over the API left behind: every quote gets two tenants and is priced, one in ${soldOneIn} is sold to both, every POST has an
\`Idempotency-Key\`, and one webhook receives every event. Bytes are on disk, with indexes, after a vacuum.

| Table | rows per quote | bytes per quote | kept | rows after a year | on disk after a year |
|---|---|---|---|---|---|
${rows
  .map(
    ({ name, rowsOfQuote, bytes, kept, rowsAtEnd, bytesAtEnd }) =>
      `| \`${name}\` | ${rowsOfQuote.toFixed(2)} | ${Math.round(bytes)} | ${spellKept(kept)} | ${millions(rowsAtEnd)} | ${size(bytesAtEnd)} |`,
  )
  .join('\n')}
| all | | | | | ${size(total)} |

- **Retention** keeps ${size(total)} of the ${size(written)} that a year writes. Days of deliveries and months of the audit log are dropped; ${millions(
    (byTable.get('events')?.rows ?? 0) * quotesPerDay,
  )} events
  and ${millions((byTable.get('idempotency_keys')?.rows ?? 0) * quotesPerDay)} stored responses a day are deleted in batches.
- **Write-ahead log**: ${size(walBytes)} per quote, ${size(walBytes * quotesPerDay)} a day, ${size(walBytes * perYear)} a year. Pages that are written whole after a checkpoint come
  on top: they depend on how often PostgreSQL makes checkpoints.
- **Audit log**: ${(audit?.rows ?? 0).toFixed(1)} entries per quote, ${size(auditYear)} a year, ${size(auditYear * 7)} after seven years. From then on a month leaves for each that is added.
`
}

function spellKept(kept: number | undefined): string {
  if (kept === undefined) return 'always'
  return kept > days ? `${kept / 365} years` : `${kept} days`
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}

function spell(value: number): string {
  return value.toLocaleString('en-GB')
}

function millions(value: number): string {
  return value < 1_000_000 ? spell(Math.round(value)) : `${(value / 1_000_000).toFixed(1)} million`
}

function size(bytes: number): string {
  for (const [unit, factor] of [
    ['TB', 1e12],
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const)
    if (bytes >= factor) return `${(bytes / factor).toFixed(bytes < 10 * factor ? 1 : 0)} ${unit}`
  return `${Math.round(bytes)} bytes`
}
