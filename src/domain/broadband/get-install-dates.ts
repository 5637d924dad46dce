import type { Database } from '../../db/database.ts'
import { type IsoDate, londonDate } from '../../kernel/dates.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { BankHolidays } from '../../kernel/working-days.ts'
import type { Caller } from '../auth/caller.ts'
import { loadQuote } from '../quotes/load-quote.ts'
import { requireOperation } from '../quotes/quote-operations.ts'
import { findInstallDates } from './find-install-dates.ts'
import { type BroadbandUpstreams, upstreamsForProperty } from './upstreams-for-property.ts'

/**
 * Spec: GET /Quotes/{id}/get-bb-install-dates. Lists the days on which the quote's products can be installed: at least one day, in
 * ascending order. Throws `broadband_products_required`.
 */
export async function getInstallDates(
  deps: BroadbandUpstreams & { db: Database; cipher: FieldCipher; bankHolidays: BankHolidays },
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<{ quoteId: Id<'quote'>; dates: IsoDate[] }> {
  const quote = await loadQuote(deps.db, deps.cipher, caller, quoteId)
  requireOperation(quote, 'get-bb-install-dates', caller.now)
  const { addressUid, uprn, postCode, country } = quote.address
  const { homeTelecom } = await upstreamsForProperty(deps, caller, addressUid)
  const dates = await findInstallDates(
    { homeTelecom: homeTelecom.port, bankHolidays: deps.bankHolidays },
    {
      property: { uprn, postcode: postCode, country },
      productIds: quote.broadbandProducts.map((product) => product.productId),
      today: londonDate(caller.now),
      contractStartDate: quote.contractStartDate,
    },
  )
  return { quoteId: quote.quoteId, dates }
}
