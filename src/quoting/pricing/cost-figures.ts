import Fraction from 'fraction.js'
import { noPence, type Pence, pence, roundHalfUp } from '../../platform/kernel/money.ts'
import type { CostFigures } from './price.ts'
import { vatIncludedIn } from './vat.ts'

/** The exact figures of one product in pence, before rounding. */
export interface ExactCosts {
  /** The monthly cost, including VAT. */
  month: Fraction
  /** The cost of the whole contract term, including VAT and excluding set-up. */
  term: Fraction
  /** The VAT that `term` includes. */
  termVat: Fraction
  /** The set-up cost, including VAT. */
  setup: Pence
  setupVatRate: string
}

const weeksInYear = 52

/**
 * Rounds each figure of one product once, half up. The yearly cost is twelve times the exact monthly cost, and the
 * weekly cost is a 52nd of the exact yearly cost. The total is the rounded cost of the term plus set-up. VAT is rounded
 * separately for the term and for set-up. Net figures are gross − VAT.
 */
export function roundCosts(exact: ExactCosts): CostFigures {
  const year = exact.month.mul(12)
  const setupVat = roundHalfUp(vatIncludedIn(new Fraction(exact.setup), exact.setupVatRate))
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

/** The figures that are calculated or split directly. The net figures are derived from these. */
export type GrossFigures = Omit<CostFigures, 'totalNet' | 'setupNet'>

/** Adds the net figures, each calculated as gross minus VAT, so that net and VAT always add up to gross. */
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

/**
 * Adds up the rounded figures of all parts, which gives the total of a household or tenant. Every figure is 0 for an
 * empty list.
 */
export function sumCosts(parts: readonly CostFigures[]): CostFigures {
  const sum = { ...noCosts }
  for (const figure of Object.keys(noCosts) as (keyof CostFigures)[]) {
    let total = 0
    for (const part of parts) total += part[figure]
    sum[figure] = pence(total)
  }
  return sum
}
