import { type Database, inTransaction } from '../../db/database.ts'
import { londonDate } from '../../kernel/dates.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { loadLockedQuote, loadQuote } from '../quotes/load-quote.ts'
import { isExpired, type Quote } from '../quotes/quote.ts'
import { requireOperation } from '../quotes/quote-operations.ts'
import type { RenewDependencies } from '../quotes/renew-expired-quote.ts'
import { renewExpiredQuote } from '../quotes/renew-expired-quote.ts'
import type { QuotePrice } from './price.ts'

/**
 * Spec: GET /Quotes/{id}/total-cost. The agreed figures. An expired open quote is first priced again at today's card and its
 * expiry extended, before any other precondition; of simultaneous calls one does so. Throws `packages_required`,
 * `tenants_required`, and `quote_expired` where too little of the contract is left.
 */
export async function quoteTotalCost(
  deps: RenewDependencies & { db: Database },
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<{ quote: Quote; price: QuotePrice; pricesUpdated: boolean }> {
  let quote = await loadQuote(deps.db, deps.cipher, caller, quoteId)
  let pricesUpdated = false
  if (isExpired(quote, caller.now)) {
    const renewed = await renew(deps, caller, quoteId)
    quote = renewed.quote
    pricesUpdated = renewed.pricesUpdated
  }
  requireOperation(quote, 'total-cost', caller.now)
  if (quote.price === null) throw new Error('a quote with packages has a price')
  return { quote, price: quote.price, pricesUpdated }
}

/** A GET has no idempotent answer to store, so the caller is not handed to the transaction. */
function renew(
  deps: RenewDependencies & { db: Database },
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<{ quote: Quote; pricesUpdated: boolean }> {
  return inTransaction(deps.db, {}, async (tx) => {
    const quote = await loadLockedQuote(tx, deps.cipher, caller, quoteId)
    // Another call may have renewed it while this one waited for the lock.
    if (!isExpired(quote, caller.now)) return { quote, pricesUpdated: false }
    return { quote: await renewExpiredQuote(tx, deps, caller, quote, londonDate(caller.now)), pricesUpdated: true }
  })
}
