import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { percentile } from '../percentile.ts'

/** How long each request for one page took, in milliseconds. */
export interface TimedPage {
  name: string
  path: string
  /** The times for this page of the short history, measured before the long history was written. */
  alone: readonly number[]
  /** The times for the same page of the short history, measured after the long history was written. */
  together: readonly number[]
  /** The times for the same page of the long history. */
  long: readonly number[]
}

/** All results of a run. */
export interface Figures {
  short: number
  long: number
  writtenInSeconds: number
  pages: readonly TimedPage[]
  seconds: number
}

/** The aim: a page of the long history takes at most this many times as long as the same page of the short history. */
const maxRatio = 2

const document = new URL('../../docs/benchmarks/webhook-lists.md', import.meta.url)

/** Writes the figures of a run into docs/benchmarks/webhook-lists.md. */
export async function writeReport(figures: Figures): Promise<void> {
  await writeFile(document, pageOf(figures))
}

const count = (value: number) => value.toLocaleString('en-GB')
const ms = (times: readonly number[], share: number) => percentile(times, share).toFixed(1)
const ratioOf = ({ alone, long }: TimedPage) => percentile(long, 50) / percentile(alone, 50)

function pageOf({ short, long, writtenInSeconds, pages, seconds }: Figures): string {
  const worst = Math.max(...pages.map(ratioOf))
  const rowsOf = (start: string) =>
    pages.filter(({ path }) => path.startsWith(start)).map((page) => `| ${page.name} | ${cells(page)} |`)
  const head = `| | ${count(short)}, alone | ${count(short)}, together | ${count(long)} | ${count(long)}, p95 | Ratio |\n|---|---|---|---|---|---|`
  return `# Lists of deliveries and events: a million rows

For operators and maintainers. This command runs the benchmark and writes its results to this page:

\`\`\`sh
npm run bench:webhook-lists
\`\`\`

It uses loopback only, starts a service with its own private PostgreSQL, and takes at most six minutes. The figures are from
one run of ${Math.round(seconds)} s on a machine with ${availableParallelism()} cores, shared with other work (Node ${process.versions.node}).

One partner has ${count(short)} events from one month, each delivered to one webhook; another partner has ${count(long)} (written in ${Math.round(writtenInSeconds)} s). Each page is requested
${pages[0]?.long.length ?? 0} times over HTTP, one request at a time, alternating between pages: first with only the short history in the database ("alone"),
then with both ("together"). Times are medians in milliseconds; the ratio divides the time for the long history by the "alone"
time for the short one. A page has 20 entries, and a filter finds the same number of entries in both histories.

| Aim | Found | |
|---|---|---|
| a page takes at most ${maxRatio} times as long with ${count(long)} events as with ${count(short)} | ${worst.toFixed(2)} times at worst | ${worst <= maxRatio ? 'met' : 'missed'} |

## GET /Webhooks/{id}/deliveries

Each type accounts for a third of the deliveries; a tenth have failed and a tenth are pending. One of the ${count(long)} deliveries is a pending verification
challenge.

${head}
${rowsOf('/Webhooks').join('\n')}

## GET /Events

${head}
${rowsOf('/Events').join('\n')}
`
}

function cells(page: TimedPage): string {
  const { alone, together, long } = page
  return [ms(alone, 50), ms(together, 50), ms(long, 50), ms(long, 95), ratioOf(page).toFixed(2)].join(' | ')
}
