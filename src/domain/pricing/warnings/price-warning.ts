import type { Id } from '../../../kernel/ids.ts'
import type { BroadbandProduct } from '../../packages/package.ts'
import { serviceRow } from '../../packages/services.ts'
import { mustAskForSupply } from '../../quotes/locks/start-lock.ts'
import { isExpired, type Quote } from '../../quotes/quote.ts'
import type { QuotePolicy } from '../../quotes/quote-policy.ts'
import type { QuotePrice } from '../price.ts'
import type { StoredWarning } from './stored-warning.ts'

/** Something to check before the price is agreed. */
export type PriceWarning =
  | StoredWarning
  | { code: 'broadband_products_required' }
  | { code: 'quote_expired' }
  | { code: 'supply_request_required' }
  | { code: 'property_already_covered'; quoteId: Id<'quote'> }

/**
 * Everything to check before the quote's price is agreed; empty if there is nothing. `broadband_products_required`, `quote_expired` and
 * `supply_request_required` are also the codes with which a later call would be refused.
 */
export function priceWarnings(
  quote: Quote,
  { now, quotePolicy }: { now: Date; quotePolicy: QuotePolicy },
): PriceWarning[] {
  return [
    ...(lacksBroadbandLine(quote) ? [{ code: 'broadband_products_required' } as const] : []),
    ...(isExpired(quote, now) ? [{ code: 'quote_expired' } as const] : []),
    ...(awaitsSupplyRequest(quote, quotePolicy, now) ? [{ code: 'supply_request_required' } as const] : []),
    ...quote.priceWarnings,
    ...quote.overlappingQuoteIds.map((quoteId) => ({ code: 'property_already_covered', quoteId }) as const),
  ]
}

/** Whether the price contains broadband without a main line. Add-ons alone cannot be supplied. */
export function lacksBroadbandLine({
  price,
  broadbandProducts,
}: {
  price: QuotePrice | null
  broadbandProducts: readonly Pick<BroadbandProduct, 'kind'>[]
}): boolean {
  const hasBroadband = price?.lines.some(({ type }) => serviceRow(type).metered === null) ?? false
  return hasBroadband && broadbandProducts.every(({ kind }) => kind !== 'line')
}

/** Whether somebody could not accept the terms as things are, because they have not asked for supply that begins early. */
function awaitsSupplyRequest(quote: Quote, policy: QuotePolicy, now: Date): boolean {
  // Renewing expired prices may also move the start.
  if ((quote.stage !== 'open' && quote.stage !== 'active') || isExpired(quote, now)) return false
  const haveAsked = quote.tenants.length > 0 && quote.tenants.every(({ asksForEarlySupply: asks }) => asks)
  return !haveAsked && mustAskForSupply(quote, policy, now)
}
