import type { Id } from '../../../platform/kernel/ids.ts'
import { serviceRow } from '../../packages/services.ts'
import type { SimilarQuote } from '../../quotes/overlaps/overlap.ts'
import { earlySupplyMustBeRequested, isExpired, type Quote } from '../../quotes/quote.ts'
import { lacksProducts } from '../../quotes/quote-operations.ts'
import type { QuotePolicy } from '../../quotes/quote-policy.ts'
import { tenancyDisagreements } from '../../quotes/tenancy.ts'
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
  | { code: 'tenancy_disagrees'; detail: string }
  | { code: 'prepayment_meter' }
  | { code: 'two_rate_meter_on_single_rate' }
  | { code: 'heat_network' }
  | SimilarQuote

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
    ...tenancyDisagreements(quote).map((detail) => ({ code: 'tenancy_disagrees', detail }) as const),
    ...meterWarnings(quote),
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

/** What the operator and the partner should know of the home's meters and heating. */
function meterWarnings({ meter, price }: Pick<Quote, 'meter' | 'price'>): PriceWarning[] {
  const isOneRate = price?.lines.some(
    ({ type, registers }) => serviceRow(type).metered?.hasTwoRates === true && registers === undefined,
  )
  return [
    ...(meter?.payment === 'prepayment' ? [{ code: 'prepayment_meter' } as const] : []),
    ...(meter?.registers === 'two_rate' && isOneRate ? [{ code: 'two_rate_meter_on_single_rate' } as const] : []),
    ...(meter?.heating === 'heat_network' ? [{ code: 'heat_network' } as const] : []),
  ]
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
