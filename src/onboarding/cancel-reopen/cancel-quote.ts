import type { Caller } from '../../partners/caller.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { cancelOrReopenQuote } from './cancel-or-reopen-quote.ts'

/**
 * POST /Quotes/{id}/cancel (not in the specification): cancels an open or active quote. Throws `already_onboarded` if a
 * contract is in force.
 */
export function cancelQuote(
  deps: Parameters<typeof cancelOrReopenQuote>[0],
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<Quote> {
  return cancelOrReopenQuote(deps, caller, quoteId, 'cancel')
}
