import Fraction from 'fraction.js'
import { daysInPeriod, earlierOf, type IsoDate, laterOf } from '../../platform/kernel/dates.ts'
import { noPence, type Pence, pence, roundHalfUp } from '../../platform/kernel/money.ts'
import { billingMonths, daysWithin } from '../../quoting/pricing/billing-months.ts'
import type { QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'

/** A price's lines and the days for which they were agreed. */
export type PricedTerm = Pick<QuotePrice, 'lines' | 'contractStartDate' | 'contractEndDate' | 'billingDay'>

/**
 * What a tenant owes for supply from the contract's first day to `lastDay`, in pence, including VAT and without set-up:
 * the monthly share × days charged ÷ days in the billing month, for each line and billing month, summed and rounded
 * once. The whole term costs exactly what was agreed for it. Throws RangeError if the share's lines do not match the
 * price's.
 */
export function costUntil(price: PricedTerm, share: TenantShare, lastDay: IsoDate): Pence {
  const termCost = pence(share.totalCost - share.setupCost)
  if (lastDay >= price.contractEndDate) return termCost
  const cost = price.lines.reduce(
    (sum, _, line) => sum.add(lineCostWithin(price, share, line, price.contractStartDate, lastDay)),
    new Fraction(0),
  )
  return pence(Math.min(roundHalfUp(cost), termCost))
}

/**
 * What a tenant owes who cancels after early supply, in pence, including VAT: in proportion to what was supplied,
 * compared with the whole contract (CCR 2013, reg. 36(5)). For each service, its price × days supplied ÷ its days, and
 * so much of its set-up too, summed and rounded once. A service that has not begun costs nothing. Throws RangeError if
 * the share's lines do not match the price's.
 */
export function costInProportion(
  { lines }: Pick<PricedTerm, 'lines'>,
  share: TenantShare,
  lastDay: IsoDate,
): { supplyCost: Pence; setUpCost: Pence } {
  if (share.lines.length !== lines.length) throw new RangeError("the share's lines do not match the household's")
  const inProportion = (figure: 'totalCost' | 'setupCost') =>
    roundHalfUp(
      lines.reduce((sum, { startDate, endDate }, line) => {
        const supplied = Math.max(0, daysInPeriod(startDate, earlierOf(endDate, lastDay)))
        const cost = share.lines[line]?.[figure] ?? noPence
        return sum.add(new Fraction(cost * supplied, daysInPeriod(startDate, endDate)))
      }, new Fraction(0)),
    )
  const setUpCost = inProportion('setupCost')
  return { supplyCost: pence(inProportion('totalCost') - setUpCost), setUpCost }
}

/**
 * The exact cost of one line of a share for the days from `from` to `to` that belong to the contract, in pence,
 * including VAT and without set-up; 0 if there are none. Throws RangeError if the share's lines do not match the
 * price's.
 */
export function lineCostWithin(
  { lines, contractStartDate, contractEndDate, billingDay }: PricedTerm,
  share: TenantShare,
  lineIndex: number,
  from: IsoDate,
  to: IsoDate,
): Fraction {
  const line = lines[lineIndex]
  if (line === undefined || share.lines.length !== lines.length)
    throw new RangeError("the share's lines do not match the household's")
  const monthly = share.lines[lineIndex]?.monthlyCost ?? noPence
  const [first, last] = [laterOf(line.startDate, from), earlierOf(line.endDate, to)]
  let cost = new Fraction(0)
  for (const month of billingMonths(contractStartDate, contractEndDate, billingDay))
    cost = cost.add(new Fraction(monthly * daysWithin(month, first, last), month.days))
  return cost
}
