import { type IsoDate, laterOf } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { sumCosts } from '../../quoting/pricing/cost-figures.ts'
import type { PricedLine, QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import { restOfShare } from './rest-of-share.ts'

/** Who takes over whose share, and what was agreed with the tenant who leaves. */
export interface TakeOver {
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
