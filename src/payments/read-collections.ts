import type { PaymentNotice, PaymentProcessor } from './payment-processor.ts'

/** A period on the processor's clock, in whole seconds. */
interface CollectionSpan {
  /** Null to read as far back as the processor's list goes. */
  from: Date | null
  /** The end of the period, exclusive; undefined to read up to now. */
  until: Date | undefined
}

/** All collections in a span. */
export interface SpanCollections {
  span: CollectionSpan
  /** Oldest first. */
  notices: PaymentNotice[]
  /** The time of the newest payment in the span, even if it has no customer. */
  newestAt: Date | undefined
}

/** How long the processor lists an event, plus a margin of one day. */
const knownForMs = 31 * 86_400_000
const secondMs = 1_000

/**
 * Reads the collections since a time, span by span, oldest first. The processor lists them newest first, so a span of
 * more than
 * `maxPages` pages is halved instead of being read to its end. At most a few thousand collections are in memory at a time. Throws
 * the errors of `listCollections`. Ends early when `isStopping` returns true.
 */
export async function* readCollections(
  processor: Pick<PaymentProcessor, 'listCollections'>,
  since: Date | null,
  { maxPages, isStopping }: { maxPages: number; isStopping(): boolean },
): AsyncGenerator<SpanCollections> {
  const ahead: CollectionSpan[] = [{ from: since, until: undefined }]
  for (let span = ahead.pop(); span !== undefined; span = ahead.pop()) {
    const pages: PaymentNotice[][] = []
    let newestAt: Date | undefined
    let olderThan: string | undefined
    let halves: CollectionSpan[] | undefined
    do {
      if (isStopping()) return
      const page = await processor.listCollections({ since: span.from, until: span.until, olderThan })
      if (page.olderThan !== undefined && page.olderThan === olderThan)
        throw new Error('the payment processor keeps returning the same page of its list')
      newestAt ??= page.newestAt
      pages.push(page.notices)
      olderThan = page.olderThan
      if (pages.length >= maxPages && olderThan !== undefined) halves = halve(span, newestAt)
    } while (olderThan !== undefined && halves === undefined)
    if (halves === undefined) yield { span, notices: pages.flat().reverse(), newestAt }
    else ahead.push(...halves.reverse())
  }
}

/**
 * Splits a span in two. Returns undefined for a single second, because that is read in full, however many pages it has.
 */
function halve({ from, until }: CollectionSpan, newestAt: Date | undefined): CollectionSpan[] | undefined {
  const end = until?.getTime() ?? (newestAt === undefined ? undefined : newestAt.getTime() + secondMs)
  if (end === undefined) return undefined
  const begin = from?.getTime() ?? end - knownForMs
  const middle = Math.floor((begin + end) / 2 / secondMs) * secondMs
  if (middle <= begin) return undefined
  return [
    { from, until: new Date(middle) },
    { from: new Date(middle), until },
  ]
}
