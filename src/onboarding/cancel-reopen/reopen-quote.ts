import type { Caller } from '../../partners/caller.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { cancelOrReopenQuote } from './cancel-or-reopen-quote.ts'

/**
 * POST /Quotes/{id}/reopen (not in the specification): makes an active quote open again, so that it can be changed. The
 * quote gets back the last status that it had while it was open. Throws `already_onboarded` if a contract is in force.
 */
export function reopenQuote(
  deps: Parameters<typeof cancelOrReopenQuote>[0],
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<Quote> {
  return cancelOrReopenQuote(deps, caller, quoteId, 'reopen')
}
