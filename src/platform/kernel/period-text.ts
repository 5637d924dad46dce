import { addDays, dayOfMonth, type IsoDate } from './dates.ts'

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** As `periodText`, but names only the months of a period of whole ones: "October to December 2026". */
export function monthsText(from: IsoDate, to: IsoDate): string {
  const isOfWholeMonths = dayOfMonth(from) === 1 && dayOfMonth(addDays(to, 1)) === 1
  if (!isOfWholeMonths || from.slice(0, 7) === to.slice(0, 7)) return periodText(from, to)
  return `${month(from)}${year(from) === year(to) ? '' : ` ${year(from)}`} to ${month(to)} ${year(to)}`
}

/**
 * A period, which includes both days, written as briefly as possible: "February 2027" for a whole calendar month, "31
 * January 2027", "15 to 31 January 2027", "5 March to 4 April 2027", "28 December 2027 to 27 January 2028".
 */
export function periodText(from: IsoDate, to: IsoDate): string {
  const sameYear = from.slice(0, 4) === to.slice(0, 4)
  const sameMonth = from.slice(0, 7) === to.slice(0, 7)
  if (sameMonth && dayOfMonth(from) === 1 && dayOfMonth(addDays(to, 1)) === 1) return `${month(to)} ${year(to)}`
  const last = `${dayOfMonth(to)} ${month(to)} ${year(to)}`
  if (from === to) return last
  if (sameMonth) return `${dayOfMonth(from)} to ${last}`
  return `${dayOfMonth(from)} ${month(from)}${sameYear ? '' : ` ${year(from)}`} to ${last}`
}

/** A list as text: "A", "A and B", "A, B and C"; or "A or B". */
export function listInWords(items: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} ${conjunction} ${last}`
}

function month(date: IsoDate): string {
  return monthNames[Number(date.slice(5, 7)) - 1] ?? ''
}

function year(date: IsoDate): string {
  return date.slice(0, 4)
}
