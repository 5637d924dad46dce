import Fraction from 'fraction.js'
import { noPence, type Pence, pence, roundHalfUp } from '../../kernel/money.ts'
import type { CostFigures } from './price.ts'
import { vatInside } from './vat.ts'

/** The exact figures of one product in pence, before rounding. */
export interface ExactCosts {
  /** VAT included. */
  month: Fraction
  /** The cost of the whole contract term, including VAT and excluding set-up. */
  term: Fraction
  /** The VAT within `term`. */
  termVat: Fraction
  /** VAT included. */
  setup: Pence
  setupVatRate: string
}

const weeksInYear = 52

/**
 * Rounds each figure of one product once, half up. The year is twelve exact months, and the week is a 52nd of the year. The total
 * is the rounded term plus set-up. VAT is rounded separately for the term and the set-up; net = gross − VAT.
 */
export function roundCosts(exact: ExactCosts): CostFigures {
  const year = exact.month.mul(12)
  const setupVat = roundHalfUp(vatInside(new Fraction(exact.setup), exact.setupVatRate))
  return withNetFigures({
    weeklyCost: roundHalfUp(year.div(weeksInYear)),
    monthlyCost: roundHalfUp(exact.month),
    yearlyCost: roundHalfUp(year),
    totalCost: pence(roundHalfUp(exact.term) + exact.setup),
    totalVat: pence(roundHalfUp(exact.termVat) + setupVat),
    setupCost: exact.setup,
    setupVat,
  })
}

/** The figures that are calculated or split. The net figures are derived from them. */
export type GrossFigures = Omit<CostFigures, 'totalNet' | 'setupNet'>

/** Adds the net figures as gross minus VAT, so that net and VAT always add up to gross. */
export function withNetFigures(figures: GrossFigures): CostFigures {
  return {
    ...figures,
    totalNet: pence(figures.totalCost - figures.totalVat),
    setupNet: pence(figures.setupCost - figures.setupVat),
  }
}

const noCosts: CostFigures = {
  weeklyCost: noPence,
  monthlyCost: noPence,
  yearlyCost: noPence,
  totalCost: noPence,
  totalNet: noPence,
  totalVat: noPence,
  setupCost: noPence,
  setupNet: noPence,
  setupVat: noPence,
}

/** Adds up the rounded figures of all parts into the total of a household or tenant. All 0 for an empty list. */
export function sumCosts(parts: readonly CostFigures[]): CostFigures {
  const sum = { ...noCosts }
  for (const figure of Object.keys(noCosts) as (keyof CostFigures)[]) {
    let total = 0
    for (const part of parts) total += part[figure]
    sum[figure] = pence(total)
  }
  return sum
}
