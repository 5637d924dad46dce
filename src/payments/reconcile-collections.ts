import type { Origin } from '../platform/db/access.ts'
import { inTransaction } from '../platform/db/database.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { findSetting, upsertSetting } from '../platform/keys/key-ring.store.ts'
import { applyCollection, findNoticeOwner } from './apply-collection.ts'
import { listMissedCollections } from './missed-collections.store.ts'
import type { PaymentNotice, PaymentProcessor } from './payment-processor.ts'

export interface CollectionSweepDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  paymentProcessor: PaymentProcessor
}

/** The result of one sweep. */
interface CollectionSweep {
  /** The number of collections that this sweep recorded because no notice had reported them. */
  recorded: number
  /** True if the processor became unavailable. The next sweep continues where this one stopped. */
  unavailable: boolean
  /**
   * Collections that could not be recorded. They do not stop the sweep: it still records later ones. The next sweep
   * starts with the oldest of them.
   */
  failures: { noticeId: string; occurredAt: Date; error: unknown }[]
  /** Disputes with a status that we do not know. */
  unknown: { noticeId: string; unknownStatus: string }[]
}

/** Two thousand events, which is the maximum in memory at a time. */
const maxPages = 20
/**
 * Each sweep starts this long before the last position, because an event may be listed late and its webhook may be
 * slow.
 */
const overlapMs = 10 * 60_000

const origin: Origin = { actor: 'worker', operation: 'sweepCollections' }

const readToSetting = 'collections-read-to'

/**
 * Records collections whose webhook was lost. Reads the processor's list from where the last sweep ended and records
 * new collections as the webhook would. A webhook that arrives later changes nothing. What cannot be recorded is tried
 * again by each sweep, for as long as the processor lists it. Calls the processor outside any transaction and records
 * each collection under the quote's row lock. Throws only if our own database fails.
 */
export async function reconcileCollections(
  deps: CollectionSweepDependencies,
  { isStopping }: { isStopping(): boolean },
): Promise<CollectionSweep> {
  const { system } = deps.databases
  const sweep: CollectionSweep = { recorded: 0, unavailable: false, failures: [], unknown: [] }
  const readTo = await findSetting(system, readToSetting)
  const since = readTo === undefined ? null : new Date(readTo)
  const spans = readCollections(deps.paymentProcessor, since, { maxPages, isStopping })
  for (;;) {
    const read = await nextSpan(spans)
    if (read === 'unavailable') return { ...sweep, unavailable: true }
    if (read === undefined) return sweep
    const missed = await listMissedCollections(system, read.notices)
    // A reversal is recorded after its payment, which its times in whole seconds do not ensure.
    const [collections, reversals] = [missed.filter(isCollection), missed.filter((notice) => !isCollection(notice))]
    for (const notice of [...collections, ...reversals]) await recordCollection(deps, notice, sweep)
    const next = nextPosition(read, sweep)
    if (next !== undefined) await upsertSetting(system, readToSetting, next.toISOString())
  }
}

async function nextSpan(spans: AsyncGenerator<SpanCollections>): Promise<SpanCollections | 'unavailable' | undefined> {
  try {
    const { done, value } = await spans.next()
    return done === true ? undefined : value
  } catch (error) {
    if (isUnavailable(error)) return 'unavailable'
    throw error
  }
}

function isCollection({ kind }: PaymentNotice): boolean {
  return kind === 'collection'
}

async function recordCollection(deps: CollectionSweepDependencies, notice: PaymentNotice, sweep: CollectionSweep) {
  try {
    const owner = await findNoticeOwner(deps.databases.system, notice)
    if (owner === undefined) return
    const now = deps.clock.now()
    const db = deps.databases.forPartner(owner.partnerId, origin)
    const isRecorded = await inTransaction(db, {}, (tx) => applyCollection(tx, deps.cipher, { owner, notice, now }))
    if (!isRecorded) return
    sweep.recorded += 1
    const { noticeId } = notice
    if (notice.kind === 'reversal' && notice.unknownStatus !== undefined)
      sweep.unknown.push({ noticeId, unknownStatus: notice.unknownStatus })
  } catch (error) {
    if (isUnavailable(error)) throw error
    sweep.failures.push({ noticeId: notice.noticeId, occurredAt: notice.occurredAt, error })
  }
}

/**
 * Where the next sweep starts, on the processor's clock: never after a collection that could not be recorded. Undefined
 * if the processor listed nothing; the position then stays the same.
 */
function nextPosition({ span, newestAt }: SpanCollections, { failures }: CollectionSweep): Date | undefined {
  const readTo = span.until ?? (newestAt === undefined ? undefined : new Date(newestAt.getTime() - overlapMs))
  if (readTo === undefined) return undefined
  return failures.reduce((oldest, { occurredAt }) => (occurredAt < oldest ? occurredAt : oldest), readTo)
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'service_unavailable'
}

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
 * more than `maxPages` pages is halved instead of being read to its end. At most a few thousand collections are in
 * memory at a time. Throws the errors of `listCollections`. Ends early when `isStopping` returns true.
 * @internal Tested alone.
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
