import { isDeepStrictEqual } from 'node:util'
import type { Package } from '../packages/package.ts'
import { priceQuote } from '../pricing/price-quote.ts'
import { offeredPackages } from '../rates/card-catalogue.ts'
import type { RateCard } from '../rates/rate-card.ts'
import type { PriceUpdateReason, Quote } from './quote.ts'

/**
 * The quote with its price worked out afresh on this card: null while nothing is selected. Where there was a price and there
 * is another, the change is noted in `priceUpdates`. Pure: the caller holds the lock and stores the result.
 */
export function repriced(
  quote: Quote,
  pricing: { card: RateCard; billingDay: number; now: Date; reason: PriceUpdateReason },
): Quote {
  const { card, billingDay, now, reason } = pricing
  const old = quote.price
  const selected = selectedPackages(quote, card)
  const price =
    selected.length === 0
      ? null
      : priceQuote({
          card,
          address: quote.address,
          region: quote.region,
          packages: selected,
          products: quote.broadbandProducts,
          broadbandStartDate: quote.broadbandStartDate,
          tenantIds: quote.tenants.map((tenant) => tenant.tenantId),
          bedrooms: quote.bedrooms,
          contractStartDate: quote.contractStartDate,
          contractEndDate: quote.contractEndDate,
          billingDay,
        })
  if (old === null || price === null) return { ...quote, price, pricedAt: now }
  // A step that changes nothing, such as choosing a package again, is no change of price.
  if (reason !== 'quote_expired' && isDeepStrictEqual(old, price)) return quote
  const update = { at: now.toISOString(), reason, oldMonthlyCost: old.monthlyCost, newMonthlyCost: price.monthlyCost }
  return { ...quote, price, pricedAt: now, priceUpdates: [...quote.priceUpdates, update].slice(-mostPriceUpdates) }
}

/** A quote keeps its latest changes of price; older ones are dropped, so that no row grows without end. */
export const mostPriceUpdates = 100

/** The selected packages as the card offers them for this home. */
function selectedPackages(quote: Pick<Quote, 'address' | 'region' | 'selectedPackageIds'>, card: RateCard): Package[] {
  return offeredPackages(card, quote).filter((offered) => quote.selectedPackageIds.includes(offered.packageId))
}
