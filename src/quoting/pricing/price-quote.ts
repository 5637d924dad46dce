import type { IsoDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { MeterFacts } from '../../properties/meter-facts/meter-facts.ts'
import type { BroadbandProduct, Package } from '../packages/package.ts'
import { type MeteredSupply, type ServiceableProperty, serviceNames, serviceRow } from '../packages/services.ts'
import {
  allRegionsKey,
  type RateCard,
  type RateCardPackage,
  type RegionalRate,
  rateFor,
  type YearlyUse,
} from '../rates/rate-card.ts'
import { sumCosts } from './cost-figures.ts'
import { householdUse } from './household-use.ts'
import type { PricedLine, QuotePrice } from './price.ts'
import { broadbandLines, type ContractTerm, meteredLine } from './priced-lines.ts'
import { splitLines } from './split-lines.ts'

export interface PriceQuoteInput extends ContractTerm, ServiceableProperty {
  card: RateCard
  /** The selected packages; at most one of each type. */
  packages: readonly Package[]
  /** The quote's products, which are priced only while the broadband package is selected. */
  products: readonly BroadbandProduct[]
  /** The install date; null for the contract's first day. */
  broadbandStartDate: IsoDate | null
  /** The lead tenant first, then the others in joining order; may be empty. */
  tenantIds: readonly Id<'tenant'>[]
  bedrooms: number | null
}

/**
 * Calculates the price of every line, of the household and of each tenant from the rate card's figures
 * (docs/api-behaviour.md#how-prices-are-calculated). Pure: the same input always gives the same price. Throws
 * DomainError `package_not_available` for a package that is not on the card, and `address_not_serviceable` for a
 * metered package without rates for the property's region.
 */
export function priceQuote(input: PriceQuoteInput): QuotePrice {
  const { card, tenantIds } = input
  const { band, use, basis } = householdUse(card.consumption, {
    tenants: tenantIds.length,
    bedrooms: input.bedrooms,
    hasGas: usesAsWithGas(input),
  })
  const chosen = input.packages.map(({ packageId }) => packageOnCard(card, packageId))
  const lines = serviceNames().flatMap((type) =>
    chosen
      .filter((cardPackage) => cardPackage.type === type)
      .flatMap((cardPackage) => linesOf(cardPackage, serviceRow(type).metered, input, use)),
  )
  const notIncluded = serviceNames().filter(
    (service) => chosen.some(({ type }) => type === service) && lines.every(({ type }) => type !== service),
  )
  return {
    ...sumCosts(lines),
    quotingToolVersionId: card.id,
    region: regionUsed(chosen, input),
    consumptionBand: band,
    ...(basis === undefined ? {} : { consumptionBasis: basis }),
    ...yearlyUse(use),
    contractStartDate: input.contractStartDate,
    contractEndDate: input.contractEndDate,
    billingDay: input.billingDay,
    lines,
    ...(notIncluded.length === 0 ? {} : { notIncluded }),
    shares: splitLines(lines, tenantIds),
  }
}

/** A home without gas is taken to be heated with electricity, unless somebody said that something else heats it. */
function usesAsWithGas({ address, meter }: ServiceableProperty): boolean {
  const heating = meter?.heating ?? 'unknown'
  return address.mprn !== null || (heating !== 'unknown' && heating !== 'electric')
}

function yearlyUse(consumption: YearlyUse): Record<`${string}PerYear`, number> {
  return Object.fromEntries(Object.entries(consumption).map(([useKey, use]) => [`${useKey}PerYear`, use]))
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
  cardPackage: RateCardPackage,
  metered: MeteredSupply | null,
  input: PriceQuoteInput,
  consumption: YearlyUse,
): PricedLine[] {
  const { vat } = input.card
  if (metered === null) {
    const { products, broadbandStartDate } = input
    return broadbandLines({ broadbandPackage: cardPackage, products, broadbandStartDate, vat, term: input })
  }
  const usePerYear = consumption[metered.useKey]
  if (usePerYear === undefined) throw new RangeError(`rate card ${input.card.id} has no ${metered.useKey} consumption`)
  const rate = requireRate(cardPackage, metered.region.of(input), input.meter?.registers)
  return [meteredLine({ meteredPackage: cardPackage, rate, usePerYear, vat, term: input })]
}

function requireRate(
  cardPackage: RateCardPackage,
  region: string,
  registers: MeterFacts['registers'] | undefined,
): RegionalRate {
  const rate = rateFor(cardPackage.rates, region, registers)
  if (rate !== undefined) return rate
  throw new DomainError(
    'address_not_serviceable',
    `The package ${cardPackage.packageId} has no rates for this property's region. Choose another package or another quoting tool version.`,
  )
}

/** The property's region, or `GB` if every metered package was priced at the rates for the whole country. */
function regionUsed(chosen: readonly RateCardPackage[], property: ServiceableProperty): string {
  const metered = chosen.flatMap(({ type, rates }) => {
    const supply = serviceRow(type).metered
    return supply === null ? [] : [{ rates, region: supply.region.of(property) }]
  })
  if (metered.length === 0 || metered.some(({ rates, region }) => rates?.[region] !== undefined)) return property.region
  return allRegionsKey
}
