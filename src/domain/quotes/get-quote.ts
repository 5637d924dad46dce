import type { Database } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import type { QuoteWithPackages } from '../packages/package-selection.ts'
import { offeredPackages, type RateCardCatalogue } from '../rates/card-catalogue.ts'
import { loadQuote } from './load-quote.ts'

/** Spec: GET /Quotes/{id}. Returns the quote with its tenants, and every package offered for the property. */
export async function getQuote(
  { db, cipher, cards }: { db: Database; cipher: FieldCipher; cards: RateCardCatalogue },
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<QuoteWithPackages> {
  const quote = await loadQuote(db, cipher, caller, quoteId)
  const card = await cards.load(db, quote.quotingToolVersionId)
  return { quote, offered: offeredPackages(card, quote) }
}
