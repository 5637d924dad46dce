import type { Queryable, Tx } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import { recordCollectionTime } from '../customers/customers.store.ts'
import { lockQuote } from '../quotes/quotes.store.ts'
import { changePaymentStatus } from './change-payment-status.ts'
import type { CollectionNotice, ProcessorNotice } from './payment-processor.ts'
import { findProcessorCustomerOwner, findSetupIntentOwner } from './setup-intents.store.ts'

export type HandledNotice = Exclude<ProcessorNotice, { kind: 'other' }>

/** The customer that a notice is about. */
export interface NoticeOwner {
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  customerId: Id<'tenant'>
}

/** Finds whose notice this is. Undefined if its intent or customer is unknown: it belongs to another system or has been removed. */
export function findNoticeOwner(db: Queryable, notice: HandledNotice): Promise<NoticeOwner | undefined> {
  return notice.kind === 'setup-intent'
    ? findSetupIntentOwner(db, notice.intent.setupIntentId)
    : findProcessorCustomerOwner(db, notice.processorCustomerId)
}

/**
 * Updates the payment status of the customer from whom a payment was collected, while holding the quote's lock. Repeated, late and
 * out-of-order notices change nothing. Returns false if the quote no longer exists.
 */
export async function applyCollection(
  tx: Tx,
  cipher: FieldCipher,
  collection: { owner: NoticeOwner; notice: CollectionNotice; now: Date },
): Promise<boolean> {
  const { owner, notice, now } = collection
  const { partnerId, quoteId, customerId } = owner
  const quote = await lockQuote(tx, cipher, partnerId, quoteId)
  if (quote === undefined) return false
  if (await recordCollectionTime(tx, partnerId, customerId, notice.occurredAt)) {
    await changePaymentStatus(tx, quote, customerId, notice.outcome, now)
  }
  return true
}
