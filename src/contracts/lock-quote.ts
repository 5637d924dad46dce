import type { Caller } from '../partners/caller.ts'
import type { Queryable, Tx } from '../platform/db/database.ts'
import { notFound } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../platform/kernel/ids.ts'
import { asOf, type Quote } from '../quoting/quotes/quote.ts'
import { findQuoteOfCustomer, lockQuote, lockQuoteOfCustomer } from '../quoting/quotes/quotes.store.ts'
import { storeEndedLock } from './locks/end-lock.ts'
import { asSeenBy } from './replacements/as-seen-by.ts'

/**
 * Like loadQuote, but locks the quote's row until the transaction ends. If the time in which everybody had to accept is
 * over, stores that first: what was agreed has lapsed.
 */
export async function loadAndLockQuote(tx: Tx, cipher: FieldCipher, caller: Caller, id: Id<'quote'>): Promise<Quote> {
  const quote = isId('quote', id) ? await lockQuote(tx, cipher, caller.partnerId, id) : undefined
  if (quote === undefined) throw notFound('quote')
  return storeEndedLock(tx, caller, quote)
}

/**
 * The quote to which one of the caller's customers belongs, as the customer sees it. Throws `not_found` in the same
 * cases as loadQuote.
 */
export async function loadQuoteOfCustomer(
  db: Queryable,
  cipher: FieldCipher,
  caller: Pick<Caller, 'partnerId' | 'now'>,
  id: Id<'tenant'>,
): Promise<Quote> {
  const quote = isId('tenant', id) ? await findQuoteOfCustomer(db, cipher, caller, id) : undefined
  if (quote === undefined) throw notFound('customer')
  return asSeenBy(db, asOf(quote, caller.now), { customerId: id, now: caller.now })
}

/** Like loadQuoteOfCustomer, but locks the quote. If its lock has ended, stores that first. */
export async function loadAndLockQuoteOfCustomer(
  tx: Tx,
  cipher: FieldCipher,
  caller: Caller,
  id: Id<'tenant'>,
): Promise<Quote> {
  const quote = isId('tenant', id) ? await lockQuoteOfCustomer(tx, cipher, caller.partnerId, id) : undefined
  if (quote === undefined) throw notFound('customer')
  return asSeenBy(tx, await storeEndedLock(tx, caller, quote), { customerId: id, now: caller.now })
}
