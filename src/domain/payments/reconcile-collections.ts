import type { Origin } from '../../db/access.ts'
import { inTransaction } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import type { Clock } from '../../kernel/clock.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { claimTurn, findSetting, upsertSetting } from '../deployment/settings.store.ts'
import type { CollectionNotice, PaymentProcessor } from './payment-processor.ts'
import { readCollections, type SpanRead } from './read-collections.ts'
import { findNoticeOwner, takeInCollection } from './take-in-notice.ts'
import { listUnheard } from './unheard-collections.store.ts'

export interface CollectionSweepDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  paymentProcessor: PaymentProcessor
}

/** What one sweep came to. */
export interface CollectionSweep {
  /** Collections that no notice had told of, and that were taken in. */
  taken: number
  /** True where the processor could not take a call; the next sweep goes on where this one came to. */
  unavailable: boolean
  /** Notices that could not be taken in. What the processor has told since is not held up by them. */
  failures: { noticeId: string; error: unknown }[]
}

/** A sweep every five minutes is one call for most deployments. */
const everySeconds = 300
/** Two thousand events, the most that are held at a time. */
const mostPages = 20
/** What an event may take to appear in the list, and what a slow webhook may take: read again every time. */
const overlapMs = 10 * 60_000

const origin: Origin = { actor: 'worker', operation: 'sweepCollections' }

const turnSetting = 'collection-sweep-due'
const readToSetting = 'collections-read-to'

/**
 * Takes in the collections whose notice was lost: reads the processor's own list of them from where the last sweep came to, and
 * records what is news as the notice would have. A notice that arrives after all finds it done. Undefined where it is not
 * its turn, which comes every five minutes for all processes together. Asks outside any transaction and records each under the
 * quote's lock. Throws only where our own database fails.
 */
export async function reconcileCollections(
  deps: CollectionSweepDependencies,
  { isStopping }: { isStopping(): boolean },
): Promise<CollectionSweep | undefined> {
  const { system } = deps.databases
  if (!(await claimTurn(system, turnSetting, everySeconds))) return undefined
  const sweep: CollectionSweep = { taken: 0, unavailable: false, failures: [] }
  const readTo = await findSetting(system, readToSetting)
  const since = readTo === undefined ? null : new Date(readTo)
  const spans = readCollections(deps.paymentProcessor, since, { mostPages, isStopping })
  for (;;) {
    const read = await nextSpan(spans)
    if (read === 'unavailable') return { ...sweep, unavailable: true }
    if (read === undefined) return sweep
    for (const notice of await listUnheard(system, read.notices)) await takeIn(deps, notice, sweep)
    const next = nextPosition(read)
    if (next !== undefined) await upsertSetting(system, readToSetting, next.toISOString())
  }
}

async function nextSpan(spans: AsyncGenerator<SpanRead>): Promise<SpanRead | 'unavailable' | undefined> {
  try {
    const { done, value } = await spans.next()
    return done === true ? undefined : value
  } catch (error) {
    if (isUnavailable(error)) return 'unavailable'
    throw error
  }
}

async function takeIn(deps: CollectionSweepDependencies, notice: CollectionNotice, sweep: CollectionSweep) {
  try {
    const owner = await findNoticeOwner(deps.databases.system, notice)
    if (owner === undefined) return
    const now = deps.clock.now()
    const db = deps.databases.forPartner(owner.partnerId, origin)
    const isOurs = await inTransaction(db, {}, (tx) => takeInCollection(tx, deps.cipher, { owner, notice, now }))
    if (isOurs) sweep.taken += 1
  } catch (error) {
    if (isUnavailable(error)) throw error
    sweep.failures.push({ noticeId: notice.noticeId, error })
  }
}

/** By the processor's clock alone: where it had nothing to tell, the position stays. */
function nextPosition({ span, newestAt }: SpanRead): Date | undefined {
  if (span.until !== undefined) return span.until
  return newestAt === undefined ? undefined : new Date(newestAt.getTime() - overlapMs)
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'service_unavailable'
}
