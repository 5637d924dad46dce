import Fraction from 'fraction.js'
import type { RateCard } from '../../quoting/rates/rate-card.ts'

// The limits of `rateCardSchema`.
const largestFee = 1_000_000
const largestRate = 1_000_000

/**
 * A card under another id whose rates, standing charges and set-up fees are `percent` higher, or lower if it is
 * negative. Rates have at most four decimal places, halves up. Use and VAT rates stay. Pure.
 */
export function scaleRateCard(card: RateCard, percent: number, id: string): RateCard {
  const scaled = (figure: string | number) => new Fraction(figure).mul(100 + percent).div(100)
  const rate = (figure: string) => scaled(figure).round(4).toString()
  const change = `${percent > 0 ? '+' : ''}${percent} %`
  return {
    ...card,
    id,
    name: `Sandbox price change of ${change}`,
    source: `${card.id}, changed by ${change} with POST /Sandbox/price-change`,
    packages: card.packages.map(({ rates, ...each }) => ({
      ...each,
      setupFee: scaled(each.setupFee).round(0).valueOf(),
      ...(rates === undefined
        ? {}
        : {
            rates: Object.fromEntries(
              Object.entries(rates).map(([region, { unitRate, standingCharge, vatRate }]) => [
                region,
                { unitRate: rate(unitRate), standingCharge: rate(standingCharge), vatRate },
              ]),
            ),
          }),
    })),
  }
}

/** Whether every price of a scaled card can be written in a rate card, and none of its rates has become zero. Pure. */
export function fitsRateCard({ packages }: RateCard): boolean {
  return packages.every(
    ({ setupFee, rates = {} }) =>
      setupFee <= largestFee &&
      Object.values(rates).every(({ unitRate, standingCharge }) =>
        [unitRate, standingCharge].every((rate) => Number(rate) > 0 && Number(rate) < largestRate),
      ),
  )
}
