import type { Queryable, Tx } from '../platform/db/database.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { findQuoteForUpdate } from '../quoting/quotes/quotes.store.ts'
import { findOperatorPayment, type OperatorPayment } from './ledger/operator-payments.store.ts'

/** A payment of the partner. Throws `not_found`. */
export async function loadPayment(
  tx: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  entryId: string,
): Promise<OperatorPayment> {
  const payment = await findOperatorPayment(tx, cipher, partnerId, entryId)
  if (payment === undefined) throw new DomainError('not_found', 'There is no payment with this id.')
  return payment
}

/**
 * Locks the row of the quote that a payment belongs to, so that whoever changes the payment reads it again under the
 * lock. Throws `not_found`.
 */
export async function lockQuoteOfPayment(
  tx: Tx,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  entryId: string,
): Promise<{ quote: Quote; customerId: Id<'tenant'> }> {
  const { quoteId, customerId } = await loadPayment(tx, cipher, partnerId, entryId)
  const quote = await findQuoteForUpdate(tx, cipher, partnerId, quoteId)
  if (quote === undefined) throw new Error('a payment has no quote')
  return { quote, customerId }
}
