import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { loadQuoteWithOverlaps } from '../quotes/load-quote.ts'
import { isExpired, type Quote } from '../quotes/quote.ts'
import { requireOperation } from '../quotes/quote-operations.ts'
import type { RenewDependencies } from '../quotes/renew-expired-quote.ts'
import { renewExpiredQuote } from '../quotes/renew-expired-quote.ts'
import type { QuotePrice } from './price.ts'

/**
 * Spec: GET /Quotes/{id}/total-cost. Returns the quote's price. If an open quote has expired, first reprices it on
 * today's rate card and extends its expiry. If several calls run concurrently, only one of them reprices the quote.
 * Throws `packages_required`, `tenants_required`, and `quote_expired` if less than a month of the contract is left.
 */
export async function getQuoteTotalCost(
  deps: RenewDependencies & { db: Database },
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<{ quote: Quote; price: QuotePrice }> {
  let quote = await loadQuoteWithOverlaps(deps.db, deps.cipher, caller, quoteId)
  if (isExpired(quote, caller.now)) quote = await renew(deps, caller, quoteId)
  requireOperation(quote, 'total-cost', caller.now)
  if (quote.price === null) throw new Error('the quote has packages but no price')
  return { quote, price: quote.price }
}

/**
 * Reprices an expired quote. Passes no caller to the transaction: this is a GET, so it stores no response for an
 * idempotency key.
 */
function renew(deps: RenewDependencies & { db: Database }, caller: Caller, quoteId: Id<'quote'>): Promise<Quote> {
  return inTransaction(deps.db, {}, async (tx) => {
    const quote = await deps.loadQuoteForUpdate(tx, deps.cipher, caller, quoteId)
    // A concurrent call may have repriced the quote while this one waited for the lock.
    if (isExpired(quote, caller.now)) await renewExpiredQuote(tx, deps, caller, quote, londonDate(caller.now))
    // The new dates may overlap with other quotes than the old ones did.
    return loadQuoteWithOverlaps(tx, deps.cipher, caller, quoteId)
  })
}
