import type { IsoDate } from '../../kernel/dates.ts'
import type { Id } from '../../kernel/ids.ts'
import type { BroadbandProduct } from '../packages/package.ts'
import { serviceRow } from '../packages/services.ts'
import type { QuotePrice } from './price.ts'

/**
 * A choice that the price no longer follows, because it had become impossible. Stored with the quote until somebody makes that choice
 * again.
 */
export type StoredWarning =
  | { code: 'package_replaced'; packageId: string; replacementId: string }
  | { code: 'package_dropped'; packageId: string }
  | { code: 'install_date_dropped'; date: IsoDate }

/** Something to check before the price is agreed. */
export type PriceWarning =
  | StoredWarning
  | { code: 'broadband_products_required' }
  | { code: 'property_already_covered'; quoteId: Id<'quote'> }

/** The parts of a quote that determine its warnings. */
export interface WarnedQuote {
  price: QuotePrice | null
  broadbandProducts: readonly Pick<BroadbandProduct, 'kind'>[]
  priceWarnings: readonly StoredWarning[]
  overlappingQuoteIds: readonly Id<'quote'>[]
}

/** Everything to check before the quote's price is agreed; empty if there is nothing. */
export function priceWarnings(quote: WarnedQuote): PriceWarning[] {
  return [
    ...(lacksBroadbandLine(quote) ? [{ code: 'broadband_products_required' } as const] : []),
    ...quote.priceWarnings,
    ...quote.overlappingQuoteIds.map((quoteId) => ({ code: 'property_already_covered', quoteId }) as const),
  ]
}

/** Whether the price contains broadband without a main line. Add-ons alone cannot be supplied. */
export function lacksBroadbandLine({
  price,
  broadbandProducts,
}: Omit<WarnedQuote, 'priceWarnings' | 'overlappingQuoteIds'>): boolean {
  const hasBroadband = price?.lines.some(({ type }) => serviceRow(type).metered === null) ?? false
  return hasBroadband && broadbandProducts.every(({ kind }) => kind !== 'line')
}

/** A quote keeps only its latest warnings, so that its row cannot grow without limit. */
export const maxStoredWarnings = 50

/** Adds warnings to those that a quote has. */
export function addWarnings(present: readonly StoredWarning[], added: readonly StoredWarning[]): StoredWarning[] {
  return [...present, ...added].slice(-maxStoredWarnings)
}

/** The warnings that are left once the partner has chosen packages again. */
export function withoutPackageWarnings(warnings: readonly StoredWarning[]): StoredWarning[] {
  return warnings.filter(({ code }) => code === 'install_date_dropped')
}

/** The warnings that are left once the partner has chosen products or an install date again. */
export function withoutDateWarnings(warnings: readonly StoredWarning[]): StoredWarning[] {
  return warnings.filter(({ code }) => code !== 'install_date_dropped')
}
