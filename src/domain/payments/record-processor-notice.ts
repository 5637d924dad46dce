import type { Origin } from '../../db/access.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import type { Clock } from '../kernel/clock.ts'
import { DomainError } from '../kernel/errors.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
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

/** An answer is overtaken only by other news of the same moment. */
const mostQuestions = 3
/** The processor waits for the end of its notice, and we for its answer meanwhile. */
const processorWaitMs = 5_000

/**
 * Takes in a verified notice of the processor. Repeated, late and out-of-order ones change nothing; one about an intent or
 * customer we do not know (another system's, or one removed since) is accepted and passed over. Returns whether it was ours.
 */
export async function recordProcessorNotice(
  deps: NoticeDependencies,
  notice: ProcessorNotice,
  requestId: string,
): Promise<boolean> {
  if (notice.kind === 'other') return false
  const { databases, cipher, clock } = deps
  const owner = await findNoticeOwner(databases.system, notice)
  if (owner === undefined) return false
  const now = clock.now()
  const origin: Origin = { actor: 'processor', requestId, operation: 'processorNotice' }
  const db = databases.forPartner(owner.partnerId, origin)
  return notice.kind === 'setup-intent'
    ? takeInSetupNotice({ ...deps, db }, { owner, notice, now })
    : inTransaction(db, {}, (tx) => takeInCollection(tx, cipher, { owner, notice, now }))
}

/**
 * Where a notice may be older than what is known of its intent, the processor is asked how it stands, outside any transaction, and
 * what it answers counts in the notice's place. An unreachable processor's notice is taken as it is. Returns false where the quote
 * is gone.
 */
async function takeInSetupNotice(
  { db, cipher, paymentProcessor }: { db: Database; cipher: FieldCipher; paymentProcessor: PaymentProcessor },
  { owner, notice, now }: { owner: NoticeOwner; notice: Extract<ProcessorNotice, { kind: 'setup-intent' }>; now: Date },
): Promise<boolean> {
  const { partnerId, quoteId, customerId } = owner
  const { intent, occurredAt } = notice
  const news = { customerId, intent, told: { by: 'notice', eventAt: occurredAt }, now } as const
  let asked: Asked | undefined
  for (let questions = 0; ; questions += 1) {
    const isLastWord = questions > 0 && (asked === undefined || questions === mostQuestions)
    const { isGone, doubt } = await inTransaction(db, {}, async (tx) => {
      const quote = await lockQuote(tx, cipher, partnerId, quoteId)
      if (quote === undefined) return { isGone: true, doubt: undefined }
      return { isGone: false, doubt: await recordSetupNotice(tx, quote, { ...news, asked, isLastWord }) }
    })
    if (doubt === undefined) return !isGone
    asked = await ask(paymentProcessor, doubt)
  }
}

/** Undefined where the processor cannot take the call at the moment. */
async function ask(processor: PaymentProcessor, { setupIntentId, revision }: Doubt): Promise<Asked | undefined> {
  try {
    const wait = { until: AbortSignal.timeout(processorWaitMs) }
    return { intent: await processor.readSetupIntent(setupIntentId, wait), revision }
  } catch (error) {
    if (error instanceof DomainError && error.code === 'service_unavailable') return undefined
    throw error
  }
}
