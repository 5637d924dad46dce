import Fraction from 'fraction.js'
import { noPence, type Pence, pence, roundHalfUp } from '../../kernel/money.ts'
import type { CostFigures } from './price.ts'
import { vatInside } from './vat.ts'

/** The figures of one product before any rounding, in pence. */
export interface ExactCosts {
  /** VAT included. */
  month: Fraction
  /** The whole contract term without set-up, VAT included. */
  term: Fraction
  /** The VAT within `term`. */
  termVat: Fraction
  /** VAT included. */
  setup: Pence
  setupVatRate: string
}

const weeksInYear = 52

/**
 * One product's figures, each rounded half up once: the year is twelve exact months, the week a 52nd of that; the
 * total is the rounded term plus set-up. VAT is rounded for the term and the set-up apart, and net = gross − VAT.
 */
export function roundCosts(exact: ExactCosts): CostFigures {
  const year = exact.month.mul(12)
  const setupVat = roundHalfUp(vatInside(new Fraction(exact.setup), exact.setupVatRate))
  return withNets({
    weeklyCost: roundHalfUp(year.div(weeksInYear)),
    monthlyCost: roundHalfUp(exact.month),
    yearlyCost: roundHalfUp(year),
    totalCost: pence(roundHalfUp(exact.term) + exact.setup),
    totalVat: pence(roundHalfUp(exact.termVat) + setupVat),
    setupCost: exact.setup,
    setupVat,
  })
}

/** The figures that are worked out or dealt; the nets follow from them. */
export type GrossFigures = Omit<CostFigures, 'totalNet' | 'setupNet'>

/** Net is always what is left of the gross figure, so that the three agree to the penny. */
export function withNets(figures: GrossFigures): CostFigures {
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

/** Figure by figure the sum of rounded ones: how a household's and a tenant's figures come about. All 0 for none. */
export function sumCosts(parts: readonly CostFigures[]): CostFigures {
  const sum = { ...noCosts }
  for (const figure of Object.keys(noCosts) as (keyof CostFigures)[]) {
    let total = 0
    for (const part of parts) total += part[figure]
    sum[figure] = pence(total)
  }
  return sum
}
