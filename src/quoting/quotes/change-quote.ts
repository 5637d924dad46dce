import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { RateCardCatalogue } from '../rates/card-catalogue.ts'
import type { RateCard } from '../rates/rate-card.ts'
import type { LoadQuoteForUpdate } from './load-quote.ts'
import type { PriceUpdateReason, Quote } from './quote.ts'
import { type QuoteOperation, requireOperation, statusAfterOperation } from './quote-operations.ts'
import type { QuotePolicy } from './quote-policy.ts'
import { repriceQuote } from './reprice.ts'
import { saveQuote } from './save-quote.ts'

export interface ChangeDependencies {
  cipher: FieldCipher
  cards: RateCardCatalogue
  quotePolicy: QuotePolicy
  loadQuoteForUpdate: LoadQuoteForUpdate
}

/**
 * Changes an open quote. Locks the quote, checks that the operation is allowed, applies the change, reprices the quote
 * on the same rate card, updates its status and stores it. If the status changed, also records an event.
 */
export async function changeQuote(
  tx: Tx,
  { cipher, cards, quotePolicy, loadQuoteForUpdate }: ChangeDependencies,
  caller: Caller,
  target: { quoteId: Id<'quote'>; operation: QuoteOperation; reason: PriceUpdateReason },
  change: (quote: Quote, card: RateCard) => Quote | Promise<Quote>,
): Promise<Quote> {
  const quote = await loadQuoteForUpdate(tx, cipher, caller, target.quoteId)
  requireOperation(quote, target.operation, caller.now)
  const card = await cards.load(tx, quote.quotingToolVersionId)
  const changed = await change(quote, card)
  const priced = repriceQuote(changed, {
    card,
    billingDay: quotePolicy.billingDay,
    now: caller.now,
    reason: target.reason,
  })
  return saveQuote(tx, caller, quote, {
    ...priced,
    ...statusAfterOperation(priced, target.operation),
    pricesUpdated: false,
  })
}
