import type { Caller } from '../../partners/caller.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import type { Database } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type IncludedCustomers, type Inclusion, includeCustomers } from './include-customers.ts'
import { type QuoteFilter, type QuoteSummary, listQuotes as selectQuotes } from './quotes.store.ts'

/**
 * GET /Quotes (not in the specification). Lists a page of the partner's quotes, newest first. Also returns the cursor
 * of the next page, or null if there is none, and the customers of the quotes if they were asked for.
 */
export async function listQuotes(
  services: { db: Database; cipher: FieldCipher; readLog: ReadLog },
  caller: Caller,
  filter: QuoteFilter,
  inclusion: Inclusion,
): Promise<{ quotes: QuoteSummary[]; nextBeforeQuoteId: string | null; included: IncludedCustomers }> {
  const { db, cipher } = services
  const found = await selectQuotes(db, cipher, caller.partnerId, { ...filter, limit: filter.limit + 1 })
  const quotes = found.slice(0, filter.limit)
  const hasMore = found.length > quotes.length
  const quoteIds = quotes.map(({ quoteId }) => quoteId)
  const included = await includeCustomers(services, caller, quoteIds, inclusion)
  return { quotes, nextBeforeQuoteId: hasMore ? (quotes.at(-1)?.quoteId ?? null) : null, included }
}
