import type { Caller } from '../partners/caller.ts'
import { changePaymentStatus } from '../payments/change-payment-status.ts'
import { markOpenIntentsForCancellation } from '../payments/setup-intents/setup-intents.store.ts'
import type { Tx } from '../platform/db/database.ts'
import { notFound } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../platform/kernel/ids.ts'
import { afterLock, asOf, hasLapsed, type Quote } from '../quoting/quotes/quote.ts'
import { findQuoteForUpdate } from '../quoting/quotes/quotes.store.ts'
import { saveQuote } from '../quoting/quotes/save-quote.ts'
import { noteEndedLock } from './locks/count-ended-locks.ts'
import { endAgreements } from './termination/end-agreements.ts'

/**
 * The caller's quote, with its row locked until the transaction ends. If the time in which everybody had to accept is
 * over, stores that first: what was agreed has lapsed. Throws `not_found` for an id that is malformed, unknown or
 * another partner's.
 */
export async function loadQuoteForUpdate(tx: Tx, cipher: FieldCipher, caller: Caller, id: Id<'quote'>): Promise<Quote> {
  const quote = isId('quote', id) ? await findQuoteForUpdate(tx, cipher, caller.partnerId, id) : undefined
  if (quote === undefined) throw notFound('quote')
  return storeEndedLock(tx, caller, quote)
}

/**
 * Stores that the quote's lock has ended, if it has: the quote is open with expired prices, its contracts have lapsed,
 * and a job cancels the unfinished setup intents, whose customers are `not_started` again. Attached cards stay.
 * Records, for each customer with a contract, the contract's event and then the status; then the quote's status. The
 * caller holds the quote's row lock.
 */
export async function storeEndedLock(tx: Tx, owner: Pick<Caller, 'now' | 'partnerId'>, quote: Quote): Promise<Quote> {
  if (!hasLapsed(quote, owner.now)) return quote
  await endAgreements(tx, owner, quote, { status: 'lapsed', reason: 'lock_ended' })
  await endCardSetUps(tx, quote, owner.now)
  noteEndedLock(tx)
  return saveQuote(tx, owner, quote, asOf(quote, owner.now), 'lock_ended')
}

/**
 * A job cancels the unfinished setup intents of the quote's tenants, who are `not_started` again. Attached cards stay.
 * The caller holds the quote's row lock.
 */
export async function endCardSetUps(tx: Tx, quote: Quote, now: Date): Promise<void> {
  await markOpenIntentsForCancellation(tx, quote)
  for (const { tenantId, paymentStatus } of quote.tenants)
    await changePaymentStatus(tx, quote, tenantId, afterLock(paymentStatus), now)
}
