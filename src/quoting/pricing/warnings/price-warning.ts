import type { Id } from '../../../platform/kernel/ids.ts'
import { earlySupplyMustBeRequested, isExpired, type Quote } from '../../quotes/quote.ts'
import { lacksProducts } from '../../quotes/quote-operations.ts'
import type { QuotePolicy } from '../../quotes/quote-policy.ts'
import type { QuotePrice } from '../price.ts'
import type { StoredWarning } from './stored-warning.ts'

/** Something to check before the price is agreed. */
export type PriceWarning =
  | StoredWarning
  | { code: 'broadband_products_required' }
  | { code: 'broadband_not_included' }
  | { code: 'quote_expired' }
  | { code: 'supply_request_required' }
  | { code: 'property_already_covered'; quoteId: Id<'quote'> }

/**
 * Everything to check before the quote's price is agreed; empty if there is nothing. `broadband_products_required`,
 * `quote_expired` and
 * `supply_request_required` are also the codes with which a later call would be rejected.
 */
export function priceWarnings(
  quote: Quote,
  { now, quotePolicy }: { now: Date; quotePolicy: QuotePolicy },
): PriceWarning[] {
  const broadband = broadbandWarning(quote.price)
  return [
    ...(broadband === undefined ? [] : [broadband]),
    ...(isExpired(quote, now) ? [{ code: 'quote_expired' } as const] : []),
    ...(awaitsEarlySupplyRequest(quote, quotePolicy, now) ? [{ code: 'supply_request_required' } as const] : []),
    ...quote.priceWarnings,
    ...quote.overlappingQuoteIds.map((quoteId) => ({ code: 'property_already_covered', quoteId }) as const),
  ]
}

/**
 * What a price says of broadband that is selected without a main line; nothing if there is none. Add-ons alone cannot
 * be supplied.
 */
function broadbandWarning(
  price: QuotePrice | null,
): { code: 'broadband_products_required' | 'broadband_not_included' } | undefined {
  if (price?.notIncluded === undefined) return undefined
  return { code: lacksProducts(price) ? 'broadband_products_required' : 'broadband_not_included' }
}

/**
 * Whether somebody could not accept the terms as things are, because they have not asked for supply that begins early.
 */
function awaitsEarlySupplyRequest(quote: Quote, policy: QuotePolicy, now: Date): boolean {
  // Renewing expired prices may also move the start.
  if ((quote.stage !== 'open' && quote.stage !== 'active') || isExpired(quote, now)) return false
  const haveAsked = quote.tenants.length > 0 && quote.tenants.every(({ earlySupplyRequested: asks }) => asks)
  return !haveAsked && earlySupplyMustBeRequested(quote, policy, now)
}
