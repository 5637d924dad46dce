import Fraction from 'fraction.js'
import { earlierOf, type IsoDate } from '../../../kernel/dates.ts'
import { noPence, type Pence, pence, roundHalfUp } from '../../../kernel/money.ts'
import { billingMonths, daysWithin } from '../../pricing/billing-months.ts'
import type { QuotePrice, TenantShare } from '../../pricing/price.ts'

/**
 * What a tenant owes for supply from the contract's first day to `lastDay`, in pence, including VAT and without set-up: the monthly share ×
 * days charged ÷ days in the billing month, for each line and billing month, summed and rounded once. The whole term costs exactly what was
 * agreed for it. Throws RangeError if the share's lines do not match the price's.
 */
export function costUntil(
  price: Pick<QuotePrice, 'lines' | 'contractStartDate' | 'contractEndDate' | 'billingDay'>,
  share: TenantShare,
  lastDay: IsoDate,
): Pence {
  const { contractStartDate, contractEndDate, billingDay, lines } = price
  if (share.lines.length !== lines.length) throw new RangeError("the share's lines do not match the household's")
  const termCost = pence(share.totalCost - share.setupCost)
  if (lastDay >= contractEndDate) return termCost
  if (lastDay < contractStartDate) return noPence
  let cost = new Fraction(0)
  for (const month of billingMonths(contractStartDate, contractEndDate, billingDay)) {
    for (const [index, { startDate, endDate }] of lines.entries()) {
      const days = daysWithin(month, startDate, earlierOf(endDate, lastDay))
      const monthly = share.lines[index]?.monthlyCost ?? noPence
      cost = cost.add(new Fraction(monthly * days, month.days))
    }
  }
  return pence(Math.min(roundHalfUp(cost), termCost))
}
