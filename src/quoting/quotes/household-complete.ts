import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { Quote } from './quote.ts'
import { requireOperation } from './quote-operations.ts'
import { saveQuote } from './save-quote.ts'

/**
 * Says whether everybody who shares the bills is on the quote. Saying it again changes nothing, in every stage. The
 * caller holds the quote's row lock. Throws `quote_locked` or `quote_cancelled` unless the quote is open.
 */
export async function markHouseholdComplete(
  tx: Tx,
  caller: Pick<Caller, 'now' | 'partnerId'>,
  quote: Quote,
  isComplete: boolean,
): Promise<Quote> {
  if (isComplete === (quote.householdCompleteAt !== null)) return quote
  requireOperation(quote, 'set-household-complete', caller.now)
  return saveQuote(tx, caller, quote, { ...quote, householdCompleteAt: isComplete ? caller.now : null })
}
