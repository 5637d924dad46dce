import { addDays, addMonths, type IsoDate, isIsoDate, isoDate } from '../../platform/kernel/dates.ts'

declare const monthBrand: unique symbol

/** A calendar month, as `YYYY-MM`. Two months can be compared with `<` and `>`. */
export type Month = string & { readonly [monthBrand]: true }

/** True for a month written `YYYY-MM`. */
export function isMonth(text: string): text is Month {
  return /^\d{4}-\d{2}$/.test(text) && isIsoDate(`${text}-01`)
}

export function monthOf(day: IsoDate): Month {
  return day.slice(0, 7) as Month
}

function firstDayOf(month: Month): IsoDate {
  return isoDate(`${month}-01`)
}

export function lastDayOf(month: Month): IsoDate {
  return addDays(addMonths(firstDayOf(month), 1), -1)
}

/**
 * The month whose statement an entry is on: that of its day or, if that is closed, the first open one. `closed` is the
 * last closed month.
 */
export function bookingMonth(countsOn: IsoDate, closed: Month | null): Month {
  const own = monthOf(countsOn)
  return closed === null || own > closed ? own : monthOf(addMonths(firstDayOf(closed), 1))
}
