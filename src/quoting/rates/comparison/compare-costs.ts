import Fraction from 'fraction.js'
import { type IsoDate, lastDayOfTerm } from '../../../platform/kernel/dates.ts'
import type { Id } from '../../../platform/kernel/ids.ts'
import { distributionRegions } from '../../../properties/postcodes/distribution-regions.ts'
import { serviceRow } from '../../packages/services.ts'
import { priceQuote } from '../../pricing/price-quote.ts'
import { offeredPackages } from '../card-catalogue.ts'
import type { RateCard } from '../rate-card.ts'

/** A home on which two cards are compared. The sample has every region, 1 to 6 tenants, with and without gas. */
interface SampleHome {
  /** The GSP group. */
  region: string
  tenants: number
  hasGas: boolean
}

interface SampleCost {
  /** Pence including VAT, without set-up. */
  yearlyCost: number
  monthlyCost: number
}

/**
 * What a sample home pays for the default metered packages of two cards. A cost is null if the card sells none there.
 */
export interface CostDifference extends SampleHome {
  before: SampleCost | null
  after: SampleCost | null
  /** After minus before, in pence and in percent of the yearly cost to two decimals; null if it cannot be compared. */
  difference: (SampleCost & { percent: number | null }) | null
}

const sampleHomes: readonly SampleHome[] = distributionRegions.flatMap(({ gspGroup }) =>
  [true, false].flatMap((hasGas) =>
    Array.from({ length: 6 }, (_, index) => ({ region: gspGroup, tenants: index + 1, hasGas })),
  ),
)

/** Prices every sample home on both cards, for a contract of twelve months from `start`, as a quote would be. */
export function compareCosts(before: RateCard, after: RateCard, start: IsoDate): CostDifference[] {
  return sampleHomes.map((home) => {
    const costs = { before: costOf(before, home, start), after: costOf(after, home, start) }
    return { ...home, ...costs, difference: differenceOf(costs) }
  })
}

function costOf(card: RateCard, { region, tenants, hasGas }: SampleHome, start: IsoDate): SampleCost | null {
  const address = { mpan: '1000000000040', mprn: hasGas ? '3938424403' : null, country: 'England' }
  const packages = offeredPackages(card, { address, region }).filter(
    ({ type, isDefault }) => isDefault && serviceRow(type).metered !== null,
  )
  if (packages.length === 0) return null
  const { yearlyCost, monthlyCost } = priceQuote({
    card,
    address,
    region,
    packages,
    products: [],
    broadbandStartDate: null,
    tenantIds: Array.from({ length: tenants }, (_, index): Id<'tenant'> => `tenant_${index}`),
    bedrooms: null,
    contractStartDate: start,
    contractEndDate: lastDayOfTerm(start, 12),
    billingDay: 1,
  })
  return { yearlyCost, monthlyCost }
}

function differenceOf({ before, after }: Pick<CostDifference, 'before' | 'after'>): CostDifference['difference'] {
  if (before === null || after === null) return null
  const yearlyCost = after.yearlyCost - before.yearlyCost
  return {
    yearlyCost,
    monthlyCost: after.monthlyCost - before.monthlyCost,
    percent: before.yearlyCost === 0 ? null : new Fraction(yearlyCost * 100, before.yearlyCost).round(2).valueOf(),
  }
}
