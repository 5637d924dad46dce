import { type Database, inTransaction } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { loadAndLockQuote } from '../quotes/load-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import { saveQuote } from '../quotes/save-quote.ts'

/** POST /Sandbox/quotes/{id}/expire: makes the quote's prices expire now. Repeating the call changes nothing. */
export async function expireQuote(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<Quote> {
  return inTransaction(db, caller, async (tx) => {
    const quote = await loadAndLockQuote(tx, cipher, caller, quoteId)
    if (quote.stage === 'cancelled')
      throw new DomainError('quote_cancelled', 'The quote was cancelled, so it cannot expire.')
    if (quote.stage !== 'open')
      throw new DomainError(
        'quote_locked',
        'The prices of this quote are agreed, so it cannot expire. Reopen the quote first.',
      )
    if (quote.expiresAt <= caller.now) return quote
    return saveQuote(tx, caller, quote, { ...quote, expiresAt: caller.now })
  })
}
