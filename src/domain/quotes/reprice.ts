import { isDeepStrictEqual } from 'node:util'
import type { Package } from '../packages/package.ts'
import { priceQuote } from '../pricing/price-quote.ts'
import { offeredPackages } from '../rates/card-catalogue.ts'
import type { RateCard } from '../rates/rate-card.ts'
import type { PriceUpdateReason, Quote } from './quote.ts'

/**
 * Returns the quote with its price recalculated on this rate card. The price is null if no package is selected. If an existing
 * price changes, adds the change to `priceUpdates`. Pure: the caller holds the lock and stores the result.
 */
export function repriceQuote(
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
  // The price may be unchanged, for example if a package is selected again.
  if (reason !== 'quote_expired' && isDeepStrictEqual(old, price)) return quote
  const update = { at: now.toISOString(), reason, oldMonthlyCost: old.monthlyCost, newMonthlyCost: price.monthlyCost }
  return { ...quote, price, pricedAt: now, priceUpdates: [...quote.priceUpdates, update].slice(-maxPriceUpdates) }
}

/** A quote keeps only its latest price changes, so that its row cannot grow without limit. */
export const maxPriceUpdates = 100

/** The selected packages, in the form in which the card offers them for this property. */
function selectedPackages(quote: Pick<Quote, 'address' | 'region' | 'selectedPackageIds'>, card: RateCard): Package[] {
  return offeredPackages(card, quote).filter((offered) => quote.selectedPackageIds.includes(offered.packageId))
}
