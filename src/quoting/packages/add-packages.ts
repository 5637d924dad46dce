import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { withoutPackageWarnings } from '../pricing/warnings/stored-warning.ts'
import { type ChangeDependencies, changeQuote } from '../quotes/change-quote.ts'
import { selectPackages } from '../quotes/select-packages.ts'
import { offeredPackages } from '../rates/card-catalogue.ts'
import type { Package } from './package.ts'
import type { PackageSelection, QuoteWithPackages } from './package-selection.ts'

/**
 * Spec: POST /Quotes/{id}/add-packages. Adds packages to the quote's selection. Selecting a package again changes
 * nothing.
 */
export async function addPackages(
  deps: ChangeDependencies & { db: Database },
  caller: Caller,
  input: PackageSelection,
): Promise<QuoteWithPackages> {
  return inTransaction(deps.db, caller, async (tx) => {
    let offered: Package[] = []
    const target = { quoteId: input.quoteId, operation: 'add-packages', reason: 'packages_changed' } as const
    const quote = await changeQuote(tx, deps, caller, target, (current, card) => {
      offered = offeredPackages(card, current)
      return {
        ...current,
        selectedPackageIds: selectPackages(offered, current.selectedPackageIds, input.packageIds),
        priceWarnings: withoutPackageWarnings(current.priceWarnings),
      }
    })
    return { quote, offered }
  })
}
