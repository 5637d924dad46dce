import { loadQuoteForUpdate, storeEndedLock } from '../contracts/load-quote-for-update.ts'
import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { saveQuote } from '../quoting/quotes/save-quote.ts'

/**
 * POST /Sandbox/quotes/{id}/expire: makes the quote's prices expire now. The lock of an active quote ends now, as if
 * its tenants had let it pass. Repeating the call changes nothing. Throws `quote_locked` if a contract is in force.
 */
export async function expireQuote(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<Quote> {
  return inTransaction(db, caller, async (tx) => {
    const quote = await loadQuoteForUpdate(tx, cipher, caller, quoteId)
    if (quote.stage === 'cancelled')
      throw new DomainError('quote_cancelled', 'The quote was cancelled, so it cannot expire.')
    if (quote.stage === 'active' && quote.lockedUntil !== null)
      return storeEndedLock(tx, caller, { ...quote, lockedUntil: caller.now })
    if (quote.stage !== 'open')
      throw new DomainError('quote_locked', 'A contract of this quote is in force, so its prices cannot expire.')
    if (quote.expiresAt <= caller.now) return quote
    return saveQuote(tx, caller, quote, { ...quote, expiresAt: caller.now })
  })
}
