import { isDeepStrictEqual } from 'node:util'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Package } from '../packages/package.ts'
import { sumCosts } from '../pricing/cost-figures.ts'
import type { CostFigures, QuotePrice } from '../pricing/price.ts'
import { priceQuote } from '../pricing/price-quote.ts'
import { offeredPackages } from '../rates/card-catalogue.ts'
import type { RateCard } from '../rates/rate-card.ts'
import type { PriceUpdateReason, Quote } from './quote.ts'

/**
 * Returns the quote with its price recalculated on this rate card. The price is null if no package is selected. If a
 * figure of an existing price changes, adds the change to `priceUpdates`. Pure: the caller holds the lock and stores
 * the result.
 */
export function repriceQuote(
  quote: Quote,
  pricing: { card: RateCard; billingDay: number; now: Date; reason: PriceUpdateReason },
): Quote {
  const { card, billingDay, now, reason } = pricing
  const old = quote.price
  const tenantIds = quote.tenants.map((tenant) => tenant.tenantId)
  const price = priceFor(quote, { card, billingDay, tenantIds })
  if (old === null || price === null) return { ...quote, price, pricedAt: now }
  // The price may be unchanged, for example if a package is selected again or an expired quote is renewed in time.
  if (isDeepStrictEqual(figuresOf(old), figuresOf(price)))
    return { ...quote, price, pricedAt: reason === 'quote_expired' ? now : quote.pricedAt }
  const update = { at: now.toISOString(), reason, oldMonthlyCost: old.monthlyCost, newMonthlyCost: price.monthlyCost }
  return { ...quote, price, pricedAt: now, priceUpdates: [...quote.priceUpdates, update].slice(-maxPriceUpdates) }
}

/** What the household and each tenant pays, in total and for each line. */
function figuresOf({ lines, shares, ...household }: QuotePrice): CostFigures[] {
  return [household, ...lines, ...shares.flatMap((share) => [share, ...share.lines])].map((costs) => sumCosts([costs]))
}

/** What the price of a quote is worked out from, besides its rate card and its tenants. */
export type PricedQuote = Pick<
  Quote,
  | 'address'
  | 'region'
  | 'meter'
  | 'bedrooms'
  | 'selectedPackageIds'
  | 'broadbandProducts'
  | 'broadbandStartDate'
  | 'contractStartDate'
  | 'contractEndDate'
>

/**
 * The price of the quote's packages on this rate card if these were its tenants; null if no package is selected. Pure.
 */
export function priceFor(
  quote: PricedQuote,
  pricing: { card: RateCard; billingDay: number; tenantIds: readonly Id<'tenant'>[] },
): QuotePrice | null {
  const { address, region, meter, broadbandStartDate, bedrooms, contractStartDate, contractEndDate } = quote
  const packages = selectedPackages(quote, pricing.card)
  if (packages.length === 0) return null
  return priceQuote({
    ...pricing,
    address,
    region,
    meter,
    packages,
    products: quote.broadbandProducts,
    broadbandStartDate,
    bedrooms,
    contractStartDate,
    contractEndDate,
  })
}

/** A quote keeps only its latest price changes, so that its row cannot grow without limit. */
export const maxPriceUpdates = 100

/** The selected packages, in the form in which the card offers them for this property. */
function selectedPackages(
  quote: Pick<Quote, 'address' | 'region' | 'meter' | 'selectedPackageIds'>,
  card: RateCard,
): Package[] {
  return offeredPackages(card, quote).filter((offered) => quote.selectedPackageIds.includes(offered.packageId))
}
