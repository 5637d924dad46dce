import type { RecordContractChange } from '../contracts/operator-feeds/record-contract-change.ts'
import type { Origin } from '../platform/db/access.ts'
import { inTransaction } from '../platform/db/database.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { findQuoteForUpdate } from '../quoting/quotes/quotes.store.ts'
import { applyCollection, findNoticeOwner, type NoticeOwner } from './apply-collection.ts'
import type { PaymentProcessor, ProcessorNotice } from './payment-processor.ts'
import { type CardDependencies, recordAttachedCard } from './setup-intents/record-attached-card.ts'
import { type IntentReading, recordSetupNotice, type UncertainIntent } from './setup-intents/record-setup-intent.ts'

export interface NoticeDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  paymentProcessor: PaymentProcessor
  recordContractChange: RecordContractChange
}

/** The result of recording a notice. */
export interface NoticeResult {
  /** Whether the notice was about one of our customers. */
  wasOurs: boolean
  /** Why the processor could not be queried about the intent. */
  failure?: unknown
}

/**
 * The maximum number of reads of an intent for one notice. A read is repeated only if another report arrives during it.
 */
const maxReads = 3
/** The time limit for a read, which is short because the processor is waiting for our response to its notice. */
const processorWaitMs = 5_000

/**
 * Records a verified notice from the processor. Repeated, late and out-of-order notices change nothing. A notice about
 * an unknown intent or customer, which belongs to another system or has been removed, is accepted and ignored. If a
 * query to the processor fails, returns the failure instead of throwing it, because an error would only make the
 * processor resend the notice.
 */
export async function recordProcessorNotice(
  deps: NoticeDependencies,
  notice: ProcessorNotice,
  requestId: string,
): Promise<NoticeResult> {
  if (notice.kind === 'other') return { wasOurs: false }
  const { databases, cipher, clock } = deps
  const owner = await findNoticeOwner(databases.system, notice)
  if (owner === undefined) return { wasOurs: false }
  const now = clock.now()
  const origin: Origin = { actor: 'processor', requestId, operation: 'processorNotice' }
  const db = databases.forPartner(owner.partnerId, origin)
  if (notice.kind === 'setup-intent') return applySetupNotice({ ...deps, db }, { owner, notice, now })
  return { wasOurs: await inTransaction(db, {}, (tx) => applyCollection(tx, cipher, { owner, notice, now })) }
}

/**
 * If a notice may be out of date, reads the intent from the processor, outside any transaction, and records that
 * instead. If the processor cannot be queried, records the notice as it is.
 */
async function applySetupNotice(
  deps: CardDependencies,
  { owner, notice, now }: { owner: NoticeOwner; notice: Extract<ProcessorNotice, { kind: 'setup-intent' }>; now: Date },
): Promise<NoticeResult> {
  const { db, cipher, paymentProcessor } = deps
  const { partnerId, quoteId, customerId } = owner
  const { intent, occurredAt } = notice
  const report = { customerId, intent, source: { by: 'notice', eventAt: occurredAt }, now } as const
  let result: ReadResult = {}
  for (let reads = 0; ; reads += 1) {
    const isFinal = reads > 0 && (result.reading === undefined || reads === maxReads)
    const { isGone, uncertain } = await inTransaction(db, {}, async (tx) => {
      const quote = await findQuoteForUpdate(tx, cipher, partnerId, quoteId)
      if (quote === undefined) return { isGone: true, uncertain: undefined }
      return {
        isGone: false,
        uncertain: await recordSetupNotice(tx, cipher, quote, { ...report, reading: result.reading, isFinal }),
      }
    })
    if (uncertain === undefined) {
      const failure = isGone ? undefined : await readCard(deps, owner, intent.setupIntentId)
      return { wasOurs: !isGone, failure: result.failure ?? failure }
    }
    result = await readIntent(paymentProcessor, uncertain)
  }
}

interface ReadResult {
  /** Undefined if the query failed. */
  reading?: IntentReading
  failure?: unknown
}

async function readIntent(
  processor: PaymentProcessor,
  { setupIntentId, revision }: UncertainIntent,
): Promise<ReadResult> {
  try {
    const wait = { until: AbortSignal.timeout(processorWaitMs) }
    return { reading: { intent: await processor.readSetupIntent(setupIntentId, wait), revision } }
  } catch (error) {
    return { failure: error }
  }
}

/** Reads the card if one was attached. If that fails, a scheduled job does it later. Returns the failure. */
async function readCard(deps: CardDependencies, owner: NoticeOwner, setupIntentId: string): Promise<unknown> {
  try {
    await recordAttachedCard(deps, owner, setupIntentId, { until: AbortSignal.timeout(processorWaitMs) })
    return undefined
  } catch (error) {
    return error
  }
}
