import Fraction from 'fraction.js'
import { addDays, earlierOf, type IsoDate, isoDate, laterOf } from '../../platform/kernel/dates.ts'
import type { DatedVatRate } from '../rates/rate-card.ts'
import type { QuotePrice, TenantShare, VatPeriod } from './price.ts'

/**
 * The VAT rates of a term and the days to which each applies, in order and without gaps; none for an empty term.
 * `rates` is a list from a rate card, in ascending order of `from`. Its first entry has no `from`. Throws RangeError if
 * a day of the term has no rate.
 */
export function vatPeriods(rates: readonly DatedVatRate[], from: IsoDate, to: IsoDate): VatPeriod[] {
  if (from > to) return []
  const periods: VatPeriod[] = []
  for (const [index, entry] of rates.entries()) {
    const next = rates[index + 1]?.from
    const starts = entry.from === undefined ? from : laterOf(from, isoDate(entry.from))
    const ends = next === undefined ? to : earlierOf(to, addDays(isoDate(next), -1))
    if (starts > ends) continue
    const previous = periods.at(-1)
    if (previous?.rate === entry.rate) previous.to = ends
    else periods.push({ rate: entry.rate, from: starts, to: ends })
  }
  if (periods[0]?.from !== from) throw new RangeError(`no VAT rate for ${from}`)
  return periods
}

/** The VAT rate of one day, as a fraction: "0.05". */
export function vatRateOn(rates: readonly DatedVatRate[], day: IsoDate): string {
  const [period] = vatPeriods(rates, day, day)
  if (period === undefined) throw new RangeError(`no VAT rate for ${day}`)
  return period.rate
}

/** The exact VAT within an amount that includes it, e.g. a sixth at the rate "0.2". */
export function vatIncludedIn(gross: Fraction, rate: string): Fraction {
  const fraction = new Fraction(rate)
  return gross.mul(fraction).div(fraction.add(1))
}

/**
 * The exact VAT within an amount that includes it and is a further price of all services: in proportion to what each
 * costs the tenant without set-up, at its rate of the day or, outside its days, of the nearest one. Throws RangeError
 * if the share's lines do not match the price's.
 */
export function vatLikeServices(
  gross: Fraction,
  { lines }: Pick<QuotePrice, 'lines'>,
  share: TenantShare,
  day: IsoDate,
): Fraction {
  if (share.lines.length !== lines.length) throw new RangeError("the share's lines do not match the household's")
  let [cost, vat] = [new Fraction(0), new Fraction(0)]
  for (const [index, { totalCost, setupCost }] of share.lines.entries()) {
    const periods = lines[index]?.vatRates ?? []
    const { rate } = periods.findLast(({ from }) => from <= day) ?? periods[0] ?? { rate: '0' }
    cost = cost.add(totalCost - setupCost)
    vat = vat.add(vatIncludedIn(new Fraction(totalCost - setupCost), rate))
  }
  return cost.equals(0) ? cost : gross.mul(vat).div(cost)
}

/**
 * Removes the VAT from an amount that includes it, and returns the exact net amount. Do not pass a rounded figure
 * (docs/api-behaviour.md#how-prices-are-calculated).
 */
export function netOf(gross: Fraction, rate: string): Fraction {
  return gross.div(new Fraction(rate).add(1))
}
