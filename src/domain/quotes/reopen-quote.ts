import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { endQuoteSetup } from './end-quote-setup.ts'
import type { Quote } from './quote.ts'

/**
 * POST /Quotes/{id}/reopen (additive): an active quote nobody has completed goes back to its last label and can be changed
 * again. Throws `already_onboarded`.
 */
export function reopenQuote(
  deps: Parameters<typeof endQuoteSetup>[0],
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<Quote> {
  return endQuoteSetup(deps, caller, quoteId, 'reopen')
}
