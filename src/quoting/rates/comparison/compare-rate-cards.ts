import Fraction from 'fraction.js'
import { type IsoDate, isoDate, lastDayOfTerm, laterOf } from '../../../platform/kernel/dates.ts'
import type { Id } from '../../../platform/kernel/ids.ts'
import { distributionRegions } from '../../../properties/postcodes/distribution-regions.ts'
import { serviceRow } from '../../packages/services.ts'
import { priceQuote } from '../../pricing/price-quote.ts'
import { offeredPackages } from '../card-catalogue.ts'
import type { RateCard } from '../rate-card.ts'
import type { RateCardProblem } from '../rate-card-rules.ts'

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
function compareCosts(before: RateCard, after: RateCard, start: IsoDate): CostDifference[] {
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

/**
 * One figure that two cards do not share. `pointer` names packages by their id; null if a card does not have the
 * figure.
 */
interface FigureDifference {
  pointer: string
  before: string | number | boolean | null
  after: string | number | boolean | null
}

/**
 * Every figure, text and date that differs, in the order of `before`, then what only `after` has. Ignores the cards'
 * ids.
 */
function compareFigures(before: RateCard, after: RateCard): FigureDifference[] {
  const [old, fresh] = [figuresOf(before), figuresOf(after)]
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .map((pointer) => ({ pointer, before: old.get(pointer) ?? null, after: fresh.get(pointer) ?? null }))
    .filter((figure) => figure.before !== figure.after)
}

/** The card's figures by JSON pointer. A package is named by its id, because its place in the file means nothing. */
function figuresOf({ id: _, packages, ...card }: RateCard): Map<string, string | number | boolean> {
  const byId = Object.fromEntries(packages.map(({ packageId, ...figures }) => [packageId, figures]))
  return new Map(leavesOf({ ...card, packages: byId }, ''))
}

function leavesOf(value: unknown, pointer: string): [string, string | number | boolean][] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [[pointer, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${pointer}/${key}`))
}

export interface RateCardComparison {
  before: { quotingToolVersionId: string; name: string }
  after: { quotingToolVersionId: string; name: string }
  /** The first day of the sample contracts: today or, if `after` is sold only later, its first day of sale. */
  contractStartDate: IsoDate
  figures: FigureDifference[]
  homes: CostDifference[]
}

/** `housebill rates diff`: what differs between two cards, and what that means for the sample homes. Pure. */
export function compareRateCards(before: RateCard, after: RateCard, today: IsoDate): RateCardComparison {
  const contractStartDate = laterOf(today, isoDate(after.onSaleFrom ?? today))
  return {
    before: { quotingToolVersionId: before.id, name: before.name },
    after: { quotingToolVersionId: after.id, name: after.name },
    contractStartDate,
    figures: compareFigures(before, after),
    homes: compareCosts(before, after, contractStartDate),
  }
}

/** How far a card may be from the present one before somebody has to say that it is meant. */
export const percentLimit = 30

/** The prices and uses of a card. VAT rates are none of them: they are lawful or not, whatever they were before. */
const pricePointer = /^\/consumption\/|\/(unitRate|dayRate|nightRate|nightShare|standingCharge|setupFee)$/

/**
 * What is more than 30 % off the present card (`before`): prices and uses, also those that were 0, and what sample
 * homes pay. The costs find what the figures cannot, such as a package under another id. A home that is offered no
 * energy any more counts too.
 */
export function farOff({ figures, homes }: RateCardComparison): RateCardProblem[] {
  const percents = homes
    .map(({ difference }) => Math.abs(difference?.percent ?? 0))
    .filter((each) => each > percentLimit)
  const lost = homes.filter(({ before, after }) => before !== null && after === null).length
  const ofProperties = (count: number, what: string) =>
    count === 0 ? [] : [{ pointer: '/packages', detail: `${count} of ${homes.length} sample homes ${what}` }]
  return [
    ...figures.flatMap(farFigure),
    ...ofProperties(percents.length, `pay up to ${Math.max(...percents).toFixed(0)} % more or less`),
    ...ofProperties(lost, 'are offered no energy any more'),
  ]
}

function farFigure({ pointer, before, after }: FigureDifference): RateCardProblem[] {
  if (!pricePointer.test(pointer) || !isNumeric(before) || !isNumeric(after)) return []
  const limit = new Fraction(before).mul(new Fraction(percentLimit, 100))
  if (new Fraction(after).sub(before).abs().compare(limit) <= 0) return []
  return [{ pointer, detail: `${after} instead of ${before}` }]
}

function isNumeric(figure: FigureDifference['before']): figure is string | number {
  return typeof figure === 'number' || typeof figure === 'string'
}
