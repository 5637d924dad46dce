import { type IsoDate, isoDate, laterOf } from '../../../platform/kernel/dates.ts'
import type { RateCard } from '../rate-card.ts'
import { type CostDifference, compareCosts } from './compare-costs.ts'
import { compareFigures, type FigureDifference } from './compare-figures.ts'

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
