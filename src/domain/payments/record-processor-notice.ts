import { type Database, inTransaction } from '../../db/database.ts'
import { updateLastCollection } from '../customers/customers.store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { lockQuote } from '../quotes/quotes.store.ts'
import { movePayment } from './move-payment.ts'
import type { ProcessorNotice } from './payment-processor.ts'
import { recordSetupIntent } from './record-setup-intent.ts'
import { findProcessorCustomerOwner, findSetupIntentOwner } from './setup-intents.store.ts'

/**
 * Takes in a verified notice of the processor. Repeated, late and out-of-order ones change nothing; one about an intent or
 * customer we do not know (another system's, or one removed since) is accepted and passed over. Returns whether it was ours.
 */
export async function recordProcessorNotice(
  { db, cipher, clock }: { db: Database; cipher: FieldCipher; clock: Clock },
  notice: ProcessorNotice,
): Promise<boolean> {
  if (notice.kind === 'other') return false
  const owner =
    notice.kind === 'setup-intent'
      ? await findSetupIntentOwner(db, notice.intent.setupIntentId)
      : await findProcessorCustomerOwner(db, notice.processorCustomerId)
  if (owner === undefined) return false
  const now = clock.now()
  return inTransaction(db, {}, async (tx) => {
    const quote = await lockQuote(tx, cipher, owner.partnerId, owner.quoteId)
    if (quote === undefined) return false
    if (notice.kind === 'setup-intent') {
      await recordSetupIntent(tx, quote, {
        customerId: owner.customerId,
        intent: notice.intent,
        eventAt: notice.occurredAt,
        now,
      })
    } else if (await updateLastCollection(tx, owner.partnerId, owner.customerId, notice.occurredAt)) {
      await movePayment(tx, quote, owner.customerId, notice.outcome, now)
    }
    return true
  })
}
