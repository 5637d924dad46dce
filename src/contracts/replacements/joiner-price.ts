import Fraction from 'fraction.js'
import { costUntil, lineCostWithin, type PricedTerm } from '../../payments/plan/cost-until.ts'
import { addDays, type IsoDate, laterOf } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence, type Pence, pence, roundHalfUp } from '../../platform/kernel/money.ts'
import { sumCosts, withNetFigures } from '../../quoting/pricing/cost-figures.ts'
import type { PricedLine, QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import { vatIncludedIn } from '../../quoting/pricing/vat.ts'

/**
 * What is left of a share from `from` to the end of the contract: what a tenant who takes it over pays. With what the
 * share costs until the day before (`costUntil`) and its set-up, it adds up to the whole share, to the penny. The
 * periodic figures stay as they are. From the contract's first day or earlier, it is the whole share.
 *
 * @internal Tested alone.
 */
export function restOfShare(price: PricedTerm, share: TenantShare, from: IsoDate): TenantShare {
  if (from <= price.contractStartDate) return share
  const lastDay = addDays(from, -1)
  const exact = price.lines.map((_, line) => lineCostWithin(price, share, line, price.contractStartDate, lastDay))
  const used = dealCost(costUntil(price, share, lastDay), exact, share)
  const lines = share.lines.map((line, index) => {
    const totalCost = pence(line.totalCost - line.setupCost - (used[index] ?? noPence))
    const totalVat = restOfVat(price, share, index, { from, totalCost })
    return withNetFigures({ ...line, totalCost, totalVat, setupCost: noPence, setupVat: noPence })
  })
  return { ...share, ...sumCosts(lines), lines }
}

/** Deals a rounded cost to the lines by their exact costs. No line gets more than it costs in the whole term. */
function dealCost(cost: Pence, exact: readonly Fraction[], share: TenantShare): Pence[] {
  const room = share.lines.map(({ totalCost, setupCost }) => totalCost - setupCost)
  const dealt = exact.map((each, line) => Math.min(room[line] ?? 0, each.floor().valueOf()))
  let left = cost - dealt.reduce((sum, each) => sum + each, 0)
  const byRemainder = [...exact.keys()].sort((a, b) => remainderOf(exact[b]).compare(remainderOf(exact[a])))
  while (left > 0) {
    const line = byRemainder.find((each) => (dealt[each] ?? 0) < (room[each] ?? 0))
    if (line === undefined) throw new RangeError('the share costs less than its days')
    dealt[line] = (dealt[line] ?? 0) + 1
    byRemainder.push(...byRemainder.splice(byRemainder.indexOf(line), 1))
    left -= 1
  }
  return dealt.map(pence)
}

function remainderOf(exact: Fraction | undefined): Fraction {
  return exact === undefined ? new Fraction(0) : exact.sub(exact.floor())
}

/**
 * The VAT within what is left of a line, at the rate of each day: the line's cost is spread over its days by the
 * monthly share.
 */
function restOfVat(
  price: PricedTerm,
  share: TenantShare,
  line: number,
  { from, totalCost }: { from: IsoDate; totalCost: Pence },
): Pence {
  let cost = new Fraction(0)
  let vat = new Fraction(0)
  for (const { rate, from: first, to } of price.lines[line]?.vatRates ?? []) {
    const ofPeriod = lineCostWithin(price, share, line, laterOf(first, from), to)
    cost = cost.add(ofPeriod)
    vat = vat.add(vatIncludedIn(ofPeriod, rate))
  }
  return cost.equals(0) ? noPence : roundHalfUp(vat.div(cost).mul(totalCost))
}

/** Who takes over whose share, and what was agreed with the tenant who leaves. */
interface TakeOver {
  joinerId: Id<'tenant'>
  leaverId: Id<'tenant'>
  /**
   * The tenant to whom the household's price gives the share: the leaver or, if the leaver took it over too, the one
   * who had it first.
   */
  firstHolderId: Id<'tenant'>
  /** The price that the leaver agreed to. */
  leaverPrice: QuotePrice
  from: IsoDate
}

/**
 * The household's price from the day on which a tenant takes over another's share, with the agreed rates. The joiner's
 * share is what is left of the leaver's; the household's figures are the sums of what is left of all shares.
 */
export function joinerPrice(household: QuotePrice, takeOver: TakeOver): QuotePrice {
  const { joinerId, leaverId, firstHolderId, leaverPrice, from } = takeOver
  const own: TenantShare = {
    ...restOfShare(leaverPrice, shareOf(leaverPrice, leaverId), from),
    tenantId: joinerId,
  }
  const shares = household.shares.map((share) =>
    share.tenantId === firstHolderId ? own : restOfShare(household, share, from),
  )
  const lines = linesFrom(household.lines, from).map((line, index) => ({
    ...line,
    ...sumCosts(shares.flatMap((share) => share.lines.slice(index, index + 1))),
  }))
  const contractStartDate = laterOf(household.contractStartDate, from)
  return { ...household, ...sumCosts(lines), contractStartDate, lines, shares }
}

/** The lines as they are from `from` on. */
function linesFrom(lines: readonly PricedLine[], from: IsoDate): PricedLine[] {
  return lines.map((line) => ({
    ...line,
    startDate: laterOf(line.startDate, from),
    vatRates: line.vatRates
      .filter(({ to }) => to >= from)
      .map((period) => ({ ...period, from: laterOf(period.from, from) })),
  }))
}
