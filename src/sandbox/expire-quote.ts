import { loadQuoteForUpdate, storeEndedLock } from '../contracts/load-quote-for-update.ts'
import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { saveQuote } from '../quoting/quotes/save-quote.ts'
import { chooseVersion } from '../quoting/rates/card-catalogue.ts'

/**
 * POST /Sandbox/quotes/{id}/expire: makes the quote's prices expire now. The lock of an active quote ends now, as if
 * its tenants had let it pass. With a version, the quote is next priced on that rate card, as if prices had changed.
 * Repeating the call changes nothing. Throws `quote_locked` if a contract is in force, and
 * `quoting_tool_version_not_found` if the card is not on sale.
 */
export async function expireQuote(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  { quoteId, quotingToolVersionId }: { quoteId: Id<'quote'>; quotingToolVersionId?: string },
): Promise<Quote> {
  return inTransaction(db, caller, async (tx) => {
    const stored = await loadQuoteForUpdate(tx, cipher, caller, quoteId)
    if (quotingToolVersionId !== undefined)
      await chooseVersion(tx, { partnerId: caller.partnerId, today: londonDate(caller.now) }, quotingToolVersionId)
    const quote =
      quotingToolVersionId === undefined ? stored : { ...stored, quotingToolVersionId, versionIsExplicit: true }
    if (quote.stage === 'cancelled')
      throw new DomainError('quote_cancelled', 'The quote was cancelled, so it cannot expire.')
    if (quote.stage === 'active' && quote.lockedUntil !== null)
      return storeEndedLock(tx, caller, { ...quote, lockedUntil: caller.now })
    if (quote.stage !== 'open')
      throw new DomainError('quote_locked', 'A contract of this quote is in force, so its prices cannot expire.')
    if (quote === stored && quote.expiresAt <= caller.now) return quote
    return saveQuote(tx, caller, stored, { ...quote, expiresAt: caller.now })
  })
}
