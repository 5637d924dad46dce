import { loadQuoteOfCustomer } from '../contracts/load-quote-of-customer.ts'
import type { Caller } from '../partners/caller.ts'
import type { Database } from '../platform/db/database.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../platform/kernel/ids.ts'
import { type CustomerPackage, customerPackages } from '../quoting/pricing/customer-packages.ts'
import type { TenantShare } from '../quoting/pricing/price.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { findOverlapsOfCustomer } from '../quoting/quotes/quotes.store.ts'
import type { RateCardCatalogue } from '../quoting/rates/card-catalogue.ts'
import { customerRemoved } from '../quoting/tenants/load-customer.ts'

/**
 * Spec: GET /Customers/{id}/total-cost. Returns the customer's share, which equals their entry in the quote's
 * total-cost. For an expired quote, returns its last prices. Throws `packages_required` and `customer_removed`.
 */
export async function getCustomerTotalCost(
  { db, cipher, cards }: { db: Database; cipher: FieldCipher; cards: RateCardCatalogue },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ quote: Quote; share: TenantShare; packages: CustomerPackage[] }> {
  const [own, overlappingQuoteIds] = await Promise.all([
    loadQuoteOfCustomer(db, cipher, caller, customerId),
    isId('tenant', customerId) ? findOverlapsOfCustomer(db, caller, customerId) : [],
  ])
  const quote = { ...own, overlappingQuoteIds }
  if (quote.price === null) {
    throw new DomainError(
      'packages_required',
      "The customer's quote has no packages. First select some with POST /Quotes/{id}/add-packages.",
    )
  }
  const share = quote.price.shares.find(({ tenantId }) => tenantId === customerId)
  if (share === undefined) throw customerRemoved()
  const card = await cards.load(db, quote.price.quotingToolVersionId)
  const nameOf = (packageId: string) => card.packages.find((each) => each.packageId === packageId)?.name
  return { quote, share, packages: customerPackages(quote.price, share, nameOf) }
}
