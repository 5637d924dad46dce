import type { Database } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { loadQuoteOfCustomer } from '../quotes/load-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import type { QuotePrice, TenantShare } from './price.ts'
import { shareOf } from './share-of.ts'

/**
 * Spec: GET /Customers/{id}/total-cost. Returns the customer's share, which equals their entry in the quote's total-cost. For an
 * expired quote, returns its last prices. Throws `packages_required`.
 */
export async function getCustomerTotalCost(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ quote: Quote; price: QuotePrice; share: TenantShare }> {
  const quote = await loadQuoteOfCustomer(db, cipher, caller, customerId)
  if (quote.price === null) {
    throw new DomainError(
      'packages_required',
      "The customer's quote has no packages. First select some with POST /Quotes/{id}/add-packages.",
    )
  }
  return { quote, price: quote.price, share: shareOf(quote.price, customerId) }
}
