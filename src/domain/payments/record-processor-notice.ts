import type { Origin } from '../../db/access.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { lockQuote } from '../quotes/quotes.store.ts'
import type { PaymentProcessor, ProcessorNotice } from './payment-processor.ts'
import { type Asked, type Doubt, recordSetupNotice } from './record-setup-intent.ts'
import { findNoticeOwner, type NoticeOwner, takeInCollection } from './take-in-notice.ts'

export interface NoticeDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  paymentProcessor: PaymentProcessor
}

/** The result of a notice. */
export interface NoticeResult {
  /** Whether it was about one of our customers. */
  wasOurs: boolean
  /** Why the processor could not be queried about the intent. */
  failure?: unknown
}

/** A response goes out of date only if another change arrives in the same moment, so a few reads are enough. */
const mostQuestions = 3
/** The processor waits for our response to its notice meanwhile. */
const processorWaitMs = 5_000

/**
 * Records a verified notice from the processor. Repeated, late and out-of-order notices change nothing. A notice about an unknown
 * intent or customer (another system's, or since removed) is accepted and ignored. If a query to the processor fails, returns the
 * failure instead of throwing it: the processor would only resend the notice.
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
  if (notice.kind === 'setup-intent') return takeInSetupNotice({ ...deps, db }, { owner, notice, now })
  return { wasOurs: await inTransaction(db, {}, (tx) => takeInCollection(tx, cipher, { owner, notice, now })) }
}

/**
 * If a notice may be out of date, reads the intent from the processor, outside any transaction, and records that instead. If the
 * processor cannot be queried, records the notice as it is.
 */
async function takeInSetupNotice(
  { db, cipher, paymentProcessor }: { db: Database; cipher: FieldCipher; paymentProcessor: PaymentProcessor },
  { owner, notice, now }: { owner: NoticeOwner; notice: Extract<ProcessorNotice, { kind: 'setup-intent' }>; now: Date },
): Promise<NoticeResult> {
  const { partnerId, quoteId, customerId } = owner
  const { intent, occurredAt } = notice
  const news = { customerId, intent, told: { by: 'notice', eventAt: occurredAt }, now } as const
  let answer: Answer = {}
  for (let questions = 0; ; questions += 1) {
    const isLastWord = questions > 0 && (answer.asked === undefined || questions === mostQuestions)
    const { isGone, doubt } = await inTransaction(db, {}, async (tx) => {
      const quote = await lockQuote(tx, cipher, partnerId, quoteId)
      if (quote === undefined) return { isGone: true, doubt: undefined }
      return { isGone: false, doubt: await recordSetupNotice(tx, quote, { ...news, asked: answer.asked, isLastWord }) }
    })
    if (doubt === undefined) return { wasOurs: !isGone, failure: answer.failure }
    answer = await ask(paymentProcessor, doubt)
  }
}

interface Answer {
  /** Undefined if the query failed. */
  asked?: Asked
  failure?: unknown
}

async function ask(processor: PaymentProcessor, { setupIntentId, revision }: Doubt): Promise<Answer> {
  try {
    const wait = { until: AbortSignal.timeout(processorWaitMs) }
    return { asked: { intent: await processor.readSetupIntent(setupIntentId, wait), revision } }
  } catch (error) {
    return { failure: error }
  }
}
