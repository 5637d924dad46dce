import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../partners/caller.ts'
import { inTransaction } from '../platform/db/database.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import { type DomainError, invalidFields } from '../platform/kernel/errors.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { withoutDateWarnings } from '../quoting/pricing/warnings/stored-warning.ts'
import { type ChangeDependencies, changeQuote } from '../quoting/quotes/change-quote.ts'
import { loadQuote } from '../quoting/quotes/load-quote.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { requireOperation } from '../quoting/quotes/quote-operations.ts'
import { askInstallDates, type InstallDatesDependencies } from './find-install-dates.ts'

/**
 * POST /Quotes/{id}/select-install-date: lets broadband start on one of the days that get-bb-install-dates lists, and
 * reprices the quote if that changes its price. Asks the provider before it changes anything. Throws
 * `install_date_not_available` for any other day, and if the products or the contract start change while the provider
 * is asked. Also throws `broadband_products_required`,
 * `quote_expired`, `quote_locked` and `quote_cancelled`.
 */
export async function selectInstallDate(
  deps: ChangeDependencies & InstallDatesDependencies,
  caller: Caller,
  { quoteId, date }: { quoteId: Id<'quote'>; date: IsoDate },
): Promise<Quote> {
  const seen = await loadQuote(deps.db, deps.cipher, caller, quoteId)
  requireOperation(seen, 'select-install-date', caller.now)
  const offered = await askInstallDates(deps, caller, seen, seen.broadbandProducts)
  // The day that the price uses stays selectable, even if the provider has given it away since.
  const isAvailable = offered.includes(date) || date === seen.broadbandStartDate
  if (!isAvailable) throw notAvailable(offered)
  return inTransaction(deps.db, caller, (tx) => {
    const target = { quoteId, operation: 'select-install-date', reason: 'broadband_changed' } as const
    return changeQuote(tx, deps, caller, target, (current) => {
      if (!isDeepStrictEqual(orderOf(current), orderOf(seen))) throw notAvailable([])
      return {
        ...current,
        broadbandInstallDates: [...new Set([...offered, date])].sort(),
        broadbandStartDate: date,
        selectedInstallDate: date,
        priceWarnings: withoutDateWarnings(current.priceWarnings),
      }
    })
  })
}

/** What the provider's dates depend on. */
function orderOf({ broadbandProducts, contractStartDate }: Quote): unknown {
  return { broadbandProducts, contractStartDate }
}

function notAvailable([first]: readonly IsoDate[]): DomainError {
  const detail = `Broadband cannot be installed on this day. Choose one of availableDates from GET /Quotes/{id}/get-bb-install-dates${first === undefined ? '' : `, such as ${first}`}.`
  const code = 'install_date_not_available'
  return invalidFields([{ pointer: '/date', code, detail }], code)
}
