import { UpstreamFailure } from '../../kernel/upstream-failure.ts'

/** One page of a list, and how long the whole list is. */
interface Page<Item> {
  items: readonly Item[]
  total: number
}

/** Together with what is done before and after, within the ten seconds a partner waits. */
const allPagesMs = 9_000
/** Pages of 100, as the address suppliers have them: no British postcode comes near it. */
const maxPages = 20

/**
 * The whole of a list that an upstream gives page by page. `read` is handed the page's number from 0, how many items came
 * before it, and a signal that ends all pages together. Throws `UpstreamFailure` where the list ends early or does not
 * end: half of it would pass for all of it.
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
