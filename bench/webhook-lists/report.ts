import { markdownTable } from '../page/markdown-table.ts'
import { percentile } from '../percentile.ts'
import type { ListedPage } from './lists.ts'

/** How long one page took, in milliseconds: medians, and one 95th percentile. */
export interface TimedPage {
  list: 'deliveries' | 'events'
  name: string
  /** The page of the short history, before the long history was written. */
  aloneMs: number
  /** The page of the short history, after the long history was written. */
  togetherMs: number
  /** The page of the long history. */
  longMs: number
  longP95Ms: number
  /** The long history's time compared with the short one's alone. */
  ratio: number
}

/** What a run of `npm run bench:webhook-lists` found. */
export interface ListFigures {
  /** The number of events of each history. */
  short: number
  long: number
  requestsPerPage: number
  pages: readonly TimedPage[]
}

/** The aim: a page of the long history takes at most this many times as long as the same page of the short history. */
const maxRatio = 2

/** Takes the medians of the times of each request. */
export function summarise(
  { name, path }: ListedPage,
  times: { alone: readonly number[]; together: readonly number[]; long: readonly number[] },
): TimedPage {
  const [aloneMs, togetherMs, longMs] = [times.alone, times.together, times.long].map((each) => percentile(each, 50))
  return {
    list: path.startsWith('/Events') ? 'events' : 'deliveries',
    name,
    aloneMs: aloneMs ?? 0,
    togetherMs: togetherMs ?? 0,
    longMs: longMs ?? 0,
    longP95Ms: percentile(times.long, 95),
    ratio: (longMs ?? 0) / (aloneMs ?? 0),
  }
}

const count = (value: number) => value.toLocaleString('en-GB')

/** The section about long lists. */
export function reportLists({ short, long, requestsPerPage, pages }: ListFigures): string {
  const worst = Math.max(...pages.map(({ ratio }) => ratio))
  const tableOf = (list: TimedPage['list']) =>
    markdownTable(
      ['', `${count(short)}, alone`, `${count(short)}, together`, count(long), `${count(long)}, p95`, 'ratio'],
      pages
        .filter((page) => page.list === list)
        .map(({ name, aloneMs, togetherMs, longMs, longP95Ms, ratio }) => [
          name,
          ...[aloneMs, togetherMs, longMs, longP95Ms].map((ms) => ms.toFixed(1)),
          ratio.toFixed(2),
        ]),
    )
  return `One partner has ${count(short)} events from one month, each delivered to one webhook; another partner has ${count(long)}. Each page is requested
${requestsPerPage} times over HTTP, one request at a time, alternating between pages: first with only the short history in the database ("alone"),
then with both ("together"). Times are medians in milliseconds; the ratio divides the time for the long history by the "alone"
time for the short one. A page has 20 entries, and a filter finds the same number of entries in both histories.

The aim is that a page takes at most ${maxRatio} times as long with ${count(long)} events as with ${count(short)}. It is ${worst <= maxRatio ? 'met' : 'missed'}: ${worst.toFixed(2)} times at worst.

### GET /Webhooks/{id}/deliveries

Each type accounts for a third of the deliveries; a tenth have failed and a tenth are pending. One of the ${count(long)} deliveries is a pending verification
challenge.

${tableOf('deliveries')}

### GET /Events

${tableOf('events')}`
}
