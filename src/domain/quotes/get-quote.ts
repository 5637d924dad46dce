import type { Database } from '../../db/database.ts'
import { notFound } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { type Id, isId } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { type OfferedProduct, offeredProducts } from '../broadband/availability/availability.ts'
import type { QuoteWithPackages } from '../packages/package-selection.ts'
import { offeredPackages, type RateCardCatalogue } from '../rates/card-catalogue.ts'
import { asOf } from './quote.ts'
import { findQuoteWithCheck } from './quotes.store.ts'

/**
 * Spec: GET /Quotes/{id}. Returns the quote with its tenants, every package offered for the property, and the broadband products that
 * can be added to the quote because a check found them.
 */
export async function getQuote(
  { db, cipher, cards }: { db: Database; cipher: FieldCipher; cards: RateCardCatalogue },
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<QuoteWithPackages & { availableProducts: OfferedProduct[] }> {
  const found = isId('quote', quoteId) ? await findQuoteWithCheck(db, cipher, caller, quoteId) : undefined
  if (found === undefined) throw notFound('quote')
  const quote = asOf(found.quote, caller.now)
  const card = await cards.load(db, quote.quotingToolVersionId)
  return { quote, offered: offeredPackages(card, quote), availableProducts: offeredProducts(found.checkedProducts) }
}
