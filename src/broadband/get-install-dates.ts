import type { Caller } from '../partners/caller.ts'
import { type IsoDate, londonDate } from '../platform/kernel/dates.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { earliestFrom } from '../quoting/broadband/schedule-broadband.ts'
import { loadQuote } from '../quoting/quotes/load-quote.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { requireOperation } from '../quoting/quotes/quote-operations.ts'
import { askInstallDates, type InstallDatesDependencies } from './find-install-dates.ts'

export interface InstallDates {
  quoteId: Id<'quote'>
  /** The days, ascending; at least one. */
  dates: IsoDate[]
  selectedDate: IsoDate | null
}

/**
 * Spec: GET /Quotes/{id}/get-bb-install-dates. Lists the days on which the quote's products can be installed. The first
 * is the day from which the price charges broadband, unless a later one is selected. Throws
 * `broadband_products_required`.
 */
export async function getInstallDates(
  deps: InstallDatesDependencies & { cipher: FieldCipher },
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<InstallDates> {
  const quote = await loadQuote(deps.db, deps.cipher, caller, quoteId)
  requireOperation(quote, 'get-bb-install-dates', caller.now)
  const offered = await askInstallDates(deps, caller, quote, quote.broadbandProducts)
  const dates = withPricedStart(quote, offered, londonDate(caller.now))
  return { quoteId: quote.quoteId, dates, selectedDate: quote.selectedInstallDate }
}

/**
 * The days that the provider offers now, from the earliest day known to the price. That day and a selected day are
 * always included.
 */
function withPricedStart(quote: Quote, offered: readonly IsoDate[], today: IsoDate): IsoDate[] {
  const selected = quote.selectedInstallDate
  const earliest =
    selected === null || quote.stage !== 'open'
      ? quote.broadbandStartDate
      : earliestFrom([...quote.broadbandInstallDates, selected], quote.contractStartDate)
  // On an open quote whose start has passed, the next repricing finds a new one.
  if (earliest == null || (quote.stage === 'open' && earliest <= today)) return [...offered]
  const kept = selected === null ? [earliest] : [earliest, selected]
  return [...new Set([...kept, ...offered.filter((date) => date > earliest)])].sort()
}
