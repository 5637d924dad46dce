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

/** What came of a notice. */
export interface NoticeResult {
  /** It was about a customer of ours. */
  wasOurs: boolean
  /** Why the processor could not be asked how its intent stands. */
  failure?: unknown
}

/** An answer is overtaken only by other news of the same moment. */
const mostQuestions = 3
/** The processor waits for the end of its notice, and we for its answer meanwhile. */
const processorWaitMs = 5_000

/**
 * Takes in a verified notice of the processor. Repeated, late and out-of-order ones change nothing; one about an intent or
 * customer we do not know (another system's, or one removed since) is accepted and passed over. A question to the processor that a
 * notice has led to, and that failed, is returned and fails nothing: the notice would only be sent again.
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
 * Where a notice may be older than what is known of its intent, the processor is asked how it stands, outside any transaction, and
 * what it answers counts in the notice's place. Where it cannot be asked, the notice is taken as it is.
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
  /** Undefined where the question failed. */
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
