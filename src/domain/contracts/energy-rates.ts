import type { PricedLine, QuotePrice } from '../pricing/price.ts'
import type { RateCard, RegionalRate } from '../rates/rate-card.ts'

/** Where a card has no figures for the property's region, those of the whole country were used. */
const everyRegion = 'GB'

/** The published figures an energy line was priced with. Throws RangeError when the card is not the one it was priced on. */
export function energyRate(line: PricedLine, price: QuotePrice, card: RateCard): RegionalRate {
  const rates = card.packages.find(({ packageId }) => packageId === line.packageId)?.rates
  const rate = rates?.[price.region] ?? rates?.[everyRegion]
  if (card.id !== price.quotingToolVersionId || rate === undefined) {
    throw new RangeError(`the rate card ${card.id} does not contain the rates of ${line.packageId}`)
  }
  return rate
}
