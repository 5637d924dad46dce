import type { Origin } from '../platform/db/access.ts'
import { inTransaction } from '../platform/db/database.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { findSetting, upsertSetting } from '../platform/keys/settings.store.ts'
import { applyCollection, findNoticeOwner } from './apply-collection.ts'
import { listMissedCollections } from './missed-collections.store.ts'
import type { PaymentNotice, PaymentProcessor } from './payment-processor.ts'
import { readCollections, type SpanCollections } from './read-collections.ts'

export interface CollectionSweepDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  paymentProcessor: PaymentProcessor
}

/** The result of one sweep. */
export interface CollectionSweep {
  /** The number of collections that this sweep recorded because no notice had reported them. */
  recorded: number
  /** True if the processor became unavailable. The next sweep continues where this one stopped. */
  unavailable: boolean
  /** Collections that could not be recorded. They do not stop the sweep: it still records later ones. */
  failures: { noticeId: string; error: unknown }[]
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
 * new collections as the webhook would. A webhook that arrives later changes nothing. Calls the processor outside any
 * transaction and records each collection under the quote's lock. Throws only if our own database fails.
 */
export async function reconcileCollections(
  deps: CollectionSweepDependencies,
  { isStopping }: { isStopping(): boolean },
): Promise<CollectionSweep> {
  const { system } = deps.databases
  const sweep: CollectionSweep = { recorded: 0, unavailable: false, failures: [] }
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
    const next = nextPosition(read)
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
    if (isRecorded) sweep.recorded += 1
  } catch (error) {
    if (isUnavailable(error)) throw error
    sweep.failures.push({ noticeId: notice.noticeId, error })
  }
}

/**
 * Where the next sweep starts, on the processor's clock. Undefined if the processor listed nothing; the position then
 * stays the same.
 */
function nextPosition({ span, newestAt }: SpanCollections): Date | undefined {
  if (span.until !== undefined) return span.until
  return newestAt === undefined ? undefined : new Date(newestAt.getTime() - overlapMs)
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'service_unavailable'
}
