import type { Caller } from '../../partners/caller.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../../platform/kernel/ids.ts'
import { type OfferedProduct, offeredProducts } from '../broadband/availability/availability.ts'
import type { QuoteWithPackages } from '../packages/package-selection.ts'
import { offeredPackages, type RateCardCatalogue } from '../rates/card-catalogue.ts'
import { type IncludedCustomers, type Inclusion, includeCustomers } from './include-customers.ts'
import { asOf } from './quote.ts'
import { findQuoteWithCheck } from './quotes.store.ts'

/**
 * Spec: GET /Quotes/{id}. Returns the quote with its tenants, every package offered for the property, and the broadband
 * products that can be added to the quote because a check found them; also its customers if they were asked for.
 */
export async function getQuote(
  services: { db: Database; cipher: FieldCipher; cards: RateCardCatalogue; readLog: ReadLog },
  caller: Caller,
  quoteId: Id<'quote'>,
  inclusion: Inclusion,
): Promise<QuoteWithPackages & { availableProducts: OfferedProduct[]; included: IncludedCustomers }> {
  const { db, cipher, cards } = services
  const found = isId('quote', quoteId) ? await findQuoteWithCheck(db, cipher, caller, quoteId) : undefined
  if (found === undefined) throw notFound('quote')
  const quote = asOf(found.quote, caller.now)
  const card = await cards.load(db, quote.quotingToolVersionId)
  const included = await includeCustomers(services, caller, [quoteId], inclusion)
  const availableProducts = offeredProducts(found.checkedProducts)
  return { quote, offered: offeredPackages(card, quote), availableProducts, included }
}
