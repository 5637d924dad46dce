import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CollectionNotice, CollectionPage, CollectionQuery } from './payment-processor.ts'
import { readCollections, type SpanCollections } from './reconcile-collections.ts'

interface ListedEvent {
  at: number
  /** False if the payment has no customer. */
  isCollection: boolean
}

const pageLength = 3

/** A processor that lists these events, in the order in which they happened, and counts the pages it returns. */
function processorWith(events: readonly ListedEvent[]) {
  const newestFirst = events
    .map((event, index) => ({ ...event, id: `evt_${index}` }))
    .sort((one, other) => other.at - one.at || Number(other.id.slice(4)) - Number(one.id.slice(4)))
  let pages = 0
  return {
    pages: () => pages,
    async listCollections({ since, until, olderThan }: CollectionQuery): Promise<CollectionPage> {
      pages += 1
      const from = newestFirst.findIndex(({ id }) => id === olderThan) + 1
      const asked = newestFirst
        .slice(from)
        .filter(({ at }) => (since === null || at * 1000 >= since.getTime()) && (!until || at * 1000 < until.getTime()))
      const page = asked.slice(0, pageLength)
      return {
        notices: page
          .filter(({ isCollection }) => isCollection)
          .map(({ id, at }): CollectionNotice => {
            const occurredAt = new Date(at * 1000)
            return {
              kind: 'collection',
              noticeId: id,
              occurredAt,
              processorCustomerId: 'cus_1',
              outcome: 'paid',
              paymentId: 'pi_1',
              reportId: id,
              amount: null,
              error: null,
              entryId: null,
            }
          }),
        newestAt: page[0] === undefined ? undefined : new Date(page[0].at * 1000),
        olderThan: asked.length > pageLength ? page.at(-1)?.id : undefined,
      }
    },
  }
}

type Listing = Parameters<typeof readCollections>[0]

async function readAll(processor: Listing, since: Date | null, maxPages: number): Promise<SpanCollections[]> {
  const spans: SpanCollections[] = []
  for await (const span of readCollections(processor, since, { maxPages, isStopping: () => false })) spans.push(span)
  return spans
}

const day = 86_400
const begin = 1_790_000_000
const listed = fc.record({ at: fc.integer({ min: begin, max: begin + 29 * day }), isCollection: fc.boolean() })
const crowded = fc.record({ at: fc.integer({ min: begin, max: begin + 5 }), isCollection: fc.boolean() })

test('each collection is read exactly once, in order and in consecutive spans of time, however many pages there are', async () => {
  const lists = fc.oneof(fc.array(listed, { maxLength: 40 }), fc.array(crowded, { maxLength: 40 }))
  const since = fc.option(fc.integer({ min: begin - day, max: begin + 29 * day }))
  await fc.assert(
    fc.asyncProperty(lists, since, fc.integer({ min: 1, max: 4 }), async (events, from, maxPages) => {
      const start = from === null ? null : new Date(from * 1000)
      const spans = await readAll(processorWith(events), start, maxPages)
      const expected = events
        .map((event, index) => ({ ...event, id: `evt_${index}` }))
        .filter(({ at, isCollection }) => isCollection && (from === null || at >= from))
        .sort((one, other) => one.at - other.at || Number(one.id.slice(4)) - Number(other.id.slice(4)))
      assert.deepEqual(
        spans.flatMap(({ notices }) => notices.map(({ noticeId }) => noticeId)),
        expected.map(({ id }) => id),
      )
      assert.equal(spans.at(-1)?.span.until, undefined, 'the last span has no end')
      for (const [index, { span }] of spans.entries()) {
        const before = index === 0 ? start : spans[index - 1]?.span.until
        assert.deepEqual(span.from, before, 'each span starts where the previous one ended')
      }
    }),
    { numRuns: 200 },
  )
})

test('a span with too many pages is halved repeatedly, down to one second', async () => {
  const spread = Array.from({ length: 60 }, (_, index) => ({ at: begin + index * day * 0.4, isCollection: true }))
  const spans = await readAll(processorWith(spread), null, 4)
  assert.ok(spans.length >= 5)
  assert.ok(spans.every(({ notices }) => notices.length <= 4 * pageLength))
  const oneSecond = Array.from({ length: 60 }, () => ({ at: begin, isCollection: true }))
  const crowd = await readAll(processorWith(oneSecond), new Date((begin - 60) * 1000), 4)
  assert.equal(crowd.flatMap(({ notices }) => notices).length, 60)
})

test('a read that is stopped between two pages returns nothing from the unfinished span', async () => {
  const processor = processorWith(Array.from({ length: 9 }, (_, index) => ({ at: begin + index, isCollection: true })))
  const spans: SpanCollections[] = []
  const isStopping = () => processor.pages() >= 2
  for await (const span of readCollections(processor, null, { maxPages: 20, isStopping })) spans.push(span)
  assert.deepEqual([spans, processor.pages()], [[], 2])
})

test('a list that keeps returning the same page causes an error instead of an endless loop', async () => {
  const stuck: Listing = {
    listCollections: async () => ({ notices: [], newestAt: new Date(begin * 1000), olderThan: 'evt_1' }),
  }
  await assert.rejects(readAll(stuck, null, 20), /same page/)
})
