import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { placeBroadband } from '../quoting/broadband/place-broadband.ts'
import type { Package } from '../quoting/packages/package.ts'
import type { QuoteWithPackages } from '../quoting/packages/package-selection.ts'
import { withoutDateWarnings } from '../quoting/pricing/warnings/stored-warning.ts'
import { changeQuote } from '../quoting/quotes/change-quote.ts'
import { loadQuote } from '../quoting/quotes/load-quote.ts'
import { requireOperation } from '../quoting/quotes/quote-operations.ts'
import type { RenewDependencies } from '../quoting/quotes/renew-expired-quote.ts'
import { offeredPackages } from '../quoting/rates/card-catalogue.ts'
import { askInstallDates } from './ask-install-dates.ts'
import { findCheckedProducts } from './broadband.store.ts'
import { chooseProducts } from './choose-products.ts'
import type { BroadbandUpstreams } from './upstreams-for-property.ts'

/**
 * Spec: POST /Quotes/{id}/add-broadband-products. Adds products that this partner's availability check found for the
 * address in the last 24 hours, selects the broadband package, and sets the day on which broadband starts. Throws
 * `broadband_check_required`, `broadband_product_not_available` and `package_not_available`.
 */
export async function addBroadbandProducts(
  deps: RenewDependencies & BroadbandUpstreams & { db: Database },
  caller: Caller,
  input: { quoteId: Id<'quote'>; productIds: readonly string[] },
): Promise<QuoteWithPackages> {
  const { db, cipher, bankHolidays } = deps
  const today = londonDate(caller.now)
  const seen = await loadQuote(db, cipher, caller, input.quoteId)
  requireOperation(seen, 'add-broadband-products', caller.now)
  const checked = await findCheckedProducts(db, caller.partnerId, seen.address.addressUid, caller.now)
  if (checked === undefined) {
    throw new DomainError(
      'broadband_check_required',
      'First run GET /Quotes/run-broadband-availability-check/{uid} for this address. If the home telecom provider failed, run it again.',
    )
  }
  const wanted = chooseProducts(checked, seen.broadbandProducts, input.productIds)
  // Call the provider before the transaction, because external calls are not allowed inside one.
  const installDates = await askInstallDates(deps, caller, seen, wanted)
  return inTransaction(db, caller, async (tx) => {
    let offered: Package[] = []
    const target = { quoteId: input.quoteId, operation: 'add-broadband-products', reason: 'broadband_changed' } as const
    const quote = await changeQuote(tx, deps, caller, target, (current, card) => {
      offered = offeredPackages(card, current)
      const chosen = {
        ...current,
        selectedPackageIds: withBroadband(offered, current.selectedPackageIds),
        broadbandProducts: chooseProducts(checked, current.broadbandProducts, input.productIds),
        broadbandInstallDates: installDates,
        broadbandStartDate: null,
        priceWarnings: withoutDateWarnings(current.priceWarnings),
      }
      return { ...chosen, ...placeBroadband(chosen, current, today, bankHolidays) }
    })
    return { quote, offered }
  })
}

/**
 * Selects the broadband package unless it is already selected. Throws `package_not_available` if the rate card has no
 * such package.
 */
function withBroadband(offered: readonly Package[], selected: readonly string[]): string[] {
  const broadband = offered.filter((each) => each.type === 'broadband')
  if (broadband.some((each) => selected.includes(each.packageId))) return [...selected]
  const chosen = broadband.find((each) => each.isDefault)
  if (chosen !== undefined) return [...selected, chosen.packageId]
  throw new DomainError(
    'package_not_available',
    "This quote's quoting tool version has no broadband. Create a quote with another version.",
  )
}
