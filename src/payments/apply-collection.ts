import type { Queryable, Tx } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { findQuoteForUpdate } from '../quoting/quotes/quotes.store.ts'
import { findPaymentOwner } from './ledger/payment-reports.store.ts'
import { recordPayment } from './ledger/record-payment.ts'
import type { PaymentNotice, ProcessorNotice } from './payment-processor.ts'
import { findProcessorCustomerOwner, findSetupIntentOwner } from './setup-intents/setup-intents.store.ts'

export type HandledNotice = Exclude<ProcessorNotice, { kind: 'other' }>

/** The customer that a notice is about. */
export interface NoticeOwner {
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  customerId: Id<'tenant'>
}

/**
 * Finds whose notice this is. Undefined if its intent, customer or payment is unknown: it belongs to another system or
 * has been removed.
 */
export function findNoticeOwner(db: Queryable, notice: HandledNotice): Promise<NoticeOwner | undefined> {
  if (notice.kind === 'setup-intent') return findSetupIntentOwner(db, notice.intent.setupIntentId)
  return notice.kind === 'collection'
    ? findProcessorCustomerOwner(db, notice.processorCustomerId)
    : findPaymentOwner(db, notice.paymentId)
}

/**
 * Records a collection, a refund or a dispute while holding the quote's row lock. Repeated notices change nothing; late
 * ones do not change the payment status. Returns false if the quote no longer exists.
 */
export async function applyCollection(
  tx: Tx,
  cipher: FieldCipher,
  collection: { owner: NoticeOwner; notice: PaymentNotice; now: Date },
): Promise<boolean> {
  const { owner, notice, now } = collection
  const { partnerId, quoteId, customerId } = owner
  const quote = await findQuoteForUpdate(tx, cipher, partnerId, quoteId)
  if (quote === undefined) return false
  await recordPayment(tx, cipher, quote, customerId, notice, now)
  return true
}
