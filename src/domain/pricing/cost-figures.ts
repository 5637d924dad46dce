import Fraction from 'fraction.js'
import { noPence, type Pence, pence, roundHalfUp } from '../../kernel/money.ts'
import type { CostFigures } from './price.ts'
import { vatInside } from './vat.ts'

/** One product's exact figures in pence, before rounding. */
export interface ExactCosts {
  /** VAT included. */
  month: Fraction
  /** The whole contract term, VAT included, set-up excluded. */
  term: Fraction
  /** The VAT within `term`. */
  termVat: Fraction
  /** VAT included. */
  setup: Pence
  setupVatRate: string
}

const weeksInYear = 52

/**
 * Rounds one product's figures, each half up once. The year is twelve exact months and the week a 52nd of it; the total is the
 * rounded term plus set-up. VAT is rounded separately for term and set-up; net = gross − VAT.
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

/** The figures that are calculated or split. The net figures follow from them. */
export type GrossFigures = Omit<CostFigures, 'totalNet' | 'setupNet'>

/** Adds the net figures: gross minus VAT, so that the three always add up. */
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

/** Adds up rounded figures, one by one, into a household's or tenant's total. All 0 for an empty list. */
export function sumCosts(parts: readonly CostFigures[]): CostFigures {
  const sum = { ...noCosts }
  for (const figure of Object.keys(noCosts) as (keyof CostFigures)[]) {
    let total = 0
    for (const part of parts) total += part[figure]
    sum[figure] = pence(total)
  }
  return sum
}
