import type { Database } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Caller } from '../auth/caller.ts'
import { loadQuoteOfCustomer } from '../quotes/load-quote.ts'
import type { QuotePrice, TenantShare } from './price.ts'
import { shareOf } from './share-of.ts'

/**
 * Spec: GET /Customers/{id}/total-cost. The customer's equal share, exactly their element of the quote's total-cost; on an
 * expired quote the last prices. Throws `packages_required`.
 */
export async function customerTotalCost(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: string,
): Promise<{ price: QuotePrice; share: TenantShare }> {
  const quote = await loadQuoteOfCustomer(db, cipher, caller, customerId)
  if (quote.price === null) {
    throw new DomainError(
      'packages_required',
      'The quote of this customer has no packages. Select some with POST /Quotes/{id}/add-packages first.',
    )
  }
  return { price: quote.price, share: shareOf(quote.price, customerId) }
}
