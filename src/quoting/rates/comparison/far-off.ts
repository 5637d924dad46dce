import Fraction from 'fraction.js'
import type { RateCardProblem } from '../rate-card-rules.ts'
import type { FigureDifference } from './compare-figures.ts'
import type { RateCardComparison } from './compare-rate-cards.ts'

/** How far a card may be from the present one before somebody has to say that it is meant. */
export const percentLimit = 30

/** The prices and uses of a card. VAT rates are none of them: they are lawful or not, whatever they were before. */
const pricePointer = /^\/consumption\/|\/(unitRate|standingCharge|setupFee)$/

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
  const ofHomes = (count: number, what: string) =>
    count === 0 ? [] : [{ pointer: '/packages', detail: `${count} of ${homes.length} sample homes ${what}` }]
  return [
    ...figures.flatMap(farFigure),
    ...ofHomes(percents.length, `pay up to ${Math.max(...percents).toFixed(0)} % more or less`),
    ...ofHomes(lost, 'are offered no energy any more'),
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
