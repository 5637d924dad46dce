import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { withoutPackageWarnings } from '../pricing/warnings/stored-warning.ts'
import { type ChangeDependencies, changeQuote } from '../quotes/change-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import { selectPackages, withSelection } from '../quotes/select-packages.ts'
import { offeredPackages } from '../rates/card-catalogue.ts'
import type { Package } from './package.ts'

type PackageDependencies = ChangeDependencies & { db: Database }

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
export function addPackages(
  deps: PackageDependencies,
  caller: Caller,
  input: PackageSelection,
): Promise<QuoteWithPackages> {
  return changePackages(deps, caller, input.quoteId, 'add-packages', (quote, offered) => ({
    ...quote,
    selectedPackageIds: selectPackages(offered, quote.selectedPackageIds, input.packageIds),
  }))
}

/**
 * Spec: POST /Quotes/{id}/update-packages. Replaces the selected packages. Also works on an expired quote, without
 * changing its expiry. Removing the broadband package also removes its products.
 */
export function updatePackages(
  deps: PackageDependencies,
  caller: Caller,
  input: PackageSelection,
): Promise<QuoteWithPackages> {
  return changePackages(deps, caller, input.quoteId, 'update-packages', (quote, offered) =>
    withSelection(quote, offered, selectPackages(offered, [], input.packageIds)),
  )
}

function changePackages(
  deps: PackageDependencies,
  caller: Caller,
  quoteId: Id<'quote'>,
  operation: 'add-packages' | 'update-packages',
  select: (quote: Quote, offered: Package[]) => Quote,
): Promise<QuoteWithPackages> {
  return inTransaction(deps.db, caller, async (tx) => {
    let offered: Package[] = []
    const target = { quoteId, operation, reason: 'packages_changed' } as const
    const quote = await changeQuote(tx, deps, caller, target, (current, card) => {
      offered = offeredPackages(card, current)
      return select({ ...current, priceWarnings: withoutPackageWarnings(current.priceWarnings) }, offered)
    })
    return { quote, offered }
  })
}
