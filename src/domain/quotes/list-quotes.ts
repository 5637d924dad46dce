import type { Database } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Caller } from '../auth/caller.ts'
import { type QuoteFilter, type QuoteSummary, listQuotes as selectQuotes } from './quotes.store.ts'

/**
 * GET /Quotes (not in the specification). Lists a page of the partner's quotes, newest first. Also returns the cursor of the next
 * page, or null if there is none.
 */
export async function listQuotes(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  filter: QuoteFilter,
): Promise<{ quotes: QuoteSummary[]; nextBeforeQuoteId: string | null }> {
  const found = await selectQuotes(db, cipher, caller.partnerId, { ...filter, limit: filter.limit + 1 })
  const quotes = found.slice(0, filter.limit)
  const hasMore = found.length > quotes.length
  return { quotes, nextBeforeQuoteId: hasMore ? (quotes.at(-1)?.quoteId ?? null) : null }
}
