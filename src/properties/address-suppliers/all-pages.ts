import { UpstreamFailure } from '../../platform/kernel/upstream-failure.ts'

/** One page of a list, with the length of the whole list. */
interface Page<Item> {
  items: readonly Item[]
  total: number
}

/** The time limit for all pages together. It is shorter than the ten seconds that a partner waits. */
const allPagesMs = 9_000
/** The maximum number of pages. With the address suppliers' page size of 100, no British postcode comes close. */
const maxPages = 20

/**
 * Reads a whole list page by page. `read` gets the page number (from 0), the number of items already read, and a signal
 * that aborts when the time for all pages is up. Throws `UpstreamFailure` if the list ends early or never ends, because
 * a partial list would look complete.
 */
export async function readAllPages<Item>(
  upstream: string,
  read: (page: number, itemsBefore: number, signal: AbortSignal) => Promise<Page<Item>>,
): Promise<Item[]> {
  const signal = AbortSignal.timeout(allPagesMs)
  const all: Item[] = []
  for (let page = 0; page < maxPages; page += 1) {
    const { items, total } = await read(page, all.length, signal)
    all.push(...items)
    if (all.length >= total) return all
    if (items.length === 0)
      throw new UpstreamFailure(upstream, 'wrong-shape', `returned only ${all.length} of ${total} results`)
  }
  throw new UpstreamFailure(upstream, 'too-large', `has more than ${maxPages} pages for one query`)
}
