import type { Database } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { type OfferedProduct, offeredProducts } from '../broadband/availability/availability.ts'
import { findCheckedProducts } from '../broadband/broadband.store.ts'
import type { QuoteWithPackages } from '../packages/package-selection.ts'
import { offeredPackages, type RateCardCatalogue } from '../rates/card-catalogue.ts'
import { loadQuote } from './load-quote.ts'

/**
 * Spec: GET /Quotes/{id}. Returns the quote with its tenants, every package offered for the property, and the broadband products that
 * can be added to the quote because a check found them.
 */
export async function getQuote(
  { db, cipher, cards }: { db: Database; cipher: FieldCipher; cards: RateCardCatalogue },
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<QuoteWithPackages & { availableProducts: OfferedProduct[] }> {
  const quote = await loadQuote(db, cipher, caller, quoteId)
  const [card, checked = []] = await Promise.all([
    cards.load(db, quote.quotingToolVersionId),
    findCheckedProducts(db, caller.partnerId, quote.address.addressUid, caller.now),
  ])
  return { quote, offered: offeredPackages(card, quote), availableProducts: offeredProducts(checked) }
}
