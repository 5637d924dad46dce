import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { QuoteWithPackages } from '../quoting/packages/change-packages.ts'
import { loadQuote } from '../quoting/quotes/load-quote.ts'
import { requireOperation } from '../quoting/quotes/quote-operations.ts'
import { type AddProductsDependencies, addProducts, prepareProducts } from './add-products.ts'

/**
 * Spec: POST /Quotes/{id}/add-broadband-products. Adds products that this partner's availability check found for the
 * address in the last 24 hours, selects the broadband package, and sets the day on which broadband starts. Throws
 * `broadband_check_required`, `broadband_product_not_available` and `package_not_available`.
 */
export async function addBroadbandProducts(
  deps: AddProductsDependencies & { db: Database },
  caller: Caller,
  { quoteId, productIds }: { quoteId: Id<'quote'>; productIds: readonly string[] },
): Promise<QuoteWithPackages> {
  const seen = await loadQuote(deps.db, deps.cipher, caller, quoteId)
  requireOperation(seen, 'add-broadband-products', caller.now)
  const prepared = await prepareProducts(deps, caller, seen, productIds)
  return inTransaction(deps.db, caller, (tx) => addProducts(tx, deps, caller, quoteId, prepared))
}
