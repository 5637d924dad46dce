import type { Caller } from '../../partners/caller.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../../platform/kernel/ids.ts'
import { asOf, type Quote } from './quote.ts'
import { findQuote, findQuoteWithOverlaps } from './quotes.store.ts'

/** The caller's quote as of now. Throws `not_found` for an id that is malformed, unknown or another partner's. */
export function loadQuote(db: Queryable, cipher: FieldCipher, caller: Caller, id: Id<'quote'>): Promise<Quote> {
  return loadWith(findQuote, db, cipher, caller, id)
}

/**
 * The caller's quote as of now with the quotes that overlap, for responses that warn of them. Throws `not_found` for an
 * id that is malformed, unknown or another partner's.
 */
export function loadQuoteWithOverlaps(
  db: Queryable,
  cipher: FieldCipher,
  caller: Caller,
  id: Id<'quote'>,
): Promise<Quote> {
  return loadWith(findQuoteWithOverlaps, db, cipher, caller, id)
}

async function loadWith(
  find: typeof findQuoteWithOverlaps,
  db: Queryable,
  cipher: FieldCipher,
  caller: Caller,
  id: Id<'quote'>,
): Promise<Quote> {
  const quote = isId('quote', id) ? await find(db, cipher, caller, id) : undefined
  if (quote === undefined) throw notFound('quote')
  return asOf(quote, caller.now)
}

/**
 * Reads the quote and locks its row until the transaction ends. If the time in which everybody had to accept is over,
 * stores that first, with the contracts and payments that end with it: see contracts/load-quote-for-update.ts.
 */
export type LoadQuoteForUpdate = (tx: Tx, cipher: FieldCipher, caller: Caller, id: Id<'quote'>) => Promise<Quote>
