import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { withoutPackageWarnings } from '../pricing/warnings/stored-warning.ts'
import { type ChangeDependencies, changeQuote } from '../quotes/change-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import { selectPackages, withSelection } from '../quotes/select-packages.ts'
import { offeredPackages } from '../rates/card-catalogue.ts'
import type { Package } from './package.ts'

/** The packages that a partner selects for a quote. */
interface PackageSelection {
  quoteId: Id<'quote'>
  packageIds: readonly string[]
}

/** A quote and every package that its rate card offers for the property. */
export interface QuoteWithPackages {
  quote: Quote
  offered: Package[]
}

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

/**
 * Spec: POST /Quotes/{id}/update-packages. Replaces the selected packages. Also works on an expired quote, without
 * changing its expiry. Removing the broadband package also removes its products.
 */
export async function updatePackages(
  deps: ChangeDependencies & { db: Database },
  caller: Caller,
  input: PackageSelection,
): Promise<QuoteWithPackages> {
  return inTransaction(deps.db, caller, async (tx) => {
    let offered: Package[] = []
    const target = { quoteId: input.quoteId, operation: 'update-packages', reason: 'packages_changed' } as const
    const quote = await changeQuote(tx, deps, caller, target, (current, card) => {
      offered = offeredPackages(card, current)
      const chosen = { ...current, priceWarnings: withoutPackageWarnings(current.priceWarnings) }
      return withSelection(chosen, offered, selectPackages(offered, [], input.packageIds))
    })
    return { quote, offered }
  })
}
