import type { IsoDate } from '../../kernel/dates.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/ids.ts'
import { type BroadbandProduct, type Package, services } from '../packages/package.ts'
import { everyRegion, type RateCard, type RateCardPackage, type RegionalRate, rateFor } from '../rates/rate-card.ts'
import { broadbandLines } from './broadband-line.ts'
import { consumptionBand } from './consumption-band.ts'
import type { ContractTerm } from './contract-term.ts'
import { sumCosts } from './cost-figures.ts'
import { energyLine } from './energy-line.ts'
import type { PricedLine, QuotePrice } from './price.ts'
import { splitLines } from './split.ts'

export interface PriceQuoteInput extends ContractTerm {
  card: RateCard
  /** The property's GSP group, `_A` to `_P`. */
  region: string
  /** The selection, at most one package of each type. */
  packages: readonly Package[]
  /** On the quote; they count only while the broadband package is selected. */
  products: readonly BroadbandProduct[]
  /** The install date; null for the contract's first day. */
  broadbandStartDate: IsoDate | null
  /** Lead tenant first, then joining order; may be empty. */
  tenantIds: readonly Id<'tenant'>[]
  bedrooms: number | null
}

/**
 * The price of a quote on a card: every line, the household and each tenant, from the card's published figures by the
 * arithmetic of docs/api-behaviour.md#how-prices-are-calculated. Pure: the same input always gives the same price.
 * Throws DomainError `package_not_available` for a package the card does not hold, and `address_not_serviceable` for
 * an energy package without rates for the region.
 */
export function priceQuote(input: PriceQuoteInput): QuotePrice {
  const { card, tenantIds } = input
  const band = consumptionBand(tenantIds.length, input.bedrooms)
  const consumption = card.consumption[band]
  const chosen = input.packages.map(({ packageId }) => packageOnCard(card, packageId))
  const lines = services.flatMap((type) =>
    chosen.filter((pack) => pack.type === type).flatMap((pack) => linesOf(pack, input, consumption)),
  )
  return {
    ...sumCosts(lines),
    quotingToolVersionId: card.id,
    region: regionUsed(chosen, input.region),
    consumptionBand: band,
    electricityKwhPerYear: consumption.electricityKwh,
    gasKwhPerYear: consumption.gasKwh,
    contractStartDate: input.contractStartDate,
    contractEndDate: input.contractEndDate,
    billingDay: input.billingDay,
    lines,
    shares: splitLines(lines, tenantIds),
  }
}

function packageOnCard(card: RateCard, packageId: string): RateCardPackage {
  const found = card.packages.find((offered) => offered.packageId === packageId)
  if (found !== undefined) return found
  throw new DomainError(
    'package_not_available',
    `The package ${packageId} is not part of the quoting tool version ${card.id}. Choose one of the quote's available packages.`,
  )
}

function linesOf(
  pack: RateCardPackage,
  input: PriceQuoteInput,
  consumption: RateCard['consumption']['low'],
): PricedLine[] {
  const { vat } = input.card
  const { type } = pack
  if (type === 'broadband') {
    const { products, broadbandStartDate } = input
    return broadbandLines({ broadbandPackage: { ...pack, type }, products, broadbandStartDate, vat, term: input })
  }
  const kwhPerYear = type === 'electricity' ? consumption.electricityKwh : consumption.gasKwh
  const rate = requireRate(pack, input.region)
  return [energyLine({ energyPackage: { ...pack, type }, rate, kwhPerYear, vat, term: input })]
}

function requireRate(pack: RateCardPackage, region: string): RegionalRate {
  const rate = rateFor(pack.rates, region)
  if (rate !== undefined) return rate
  throw new DomainError(
    'address_not_serviceable',
    `The package ${pack.packageId} has no rates for this property's region. Choose another package or another quoting tool version.`,
  )
}

/** The property's region, unless every energy package chosen was priced on the figures for the whole country. */
function regionUsed(chosen: readonly RateCardPackage[], region: string): string {
  const energy = chosen.filter(({ type }) => type !== 'broadband')
  if (energy.length === 0 || energy.some(({ rates }) => rates?.[region] !== undefined)) return region
  return everyRegion
}
