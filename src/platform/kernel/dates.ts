declare const isoDateBrand: unique symbol

/** A calendar day in Europe/London, as `YYYY-MM-DD`. Two dates can be compared with `<` and `>`. */
export type IsoDate = string & { readonly [isoDateBrand]: true }

const pattern = /^\d{4}-\d{2}-\d{2}$/
const dayMs = 86_400_000
const hourMs = 3_600_000

/*
 * Calendar days are counted with `Date` in UTC, where every day has 24 hours. `Temporal` would do the same several
 * times slower, and a price needs dozens of days. Only what depends on London's clock uses `Temporal`.
 */

/** Keeps what `compute` returned for the last keys: most quotes begin, end and are paid on the same days. */
function remembered<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined) return before
    if (known.size === 1_000) known.clear()
    const value = compute(key)
    known.set(key, value)
    return value
  }
}

/** Midnight UTC of this day, in milliseconds. */
function utcOf(date: string): number {
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8)))
}

const dayAt = remembered((utc: number) => new Date(utc).toISOString().slice(0, 10) as IsoDate)

/** True for a real calendar day written `YYYY-MM-DD`, years 1900 to 2199. */
export function isIsoDate(text: string): text is IsoDate {
  return pattern.test(text) && text >= '1900' && text < '2200' && dayAt(utcOf(text)) === text
}

/**
 * Returns the text as a day. Throws RangeError if it is not one, so use this only for literals and validated values.
 */
export function isoDate(text: string): IsoDate {
  if (!isIsoDate(text)) throw new RangeError(`not a calendar day: ${text}`)
  return text
}

/** The date in London at this hour since 1970: its offset is a whole number of hours, so it holds for the whole hour. */
const londonDateAt = remembered(
  (hour: number) =>
    Temporal.Instant.fromEpochMilliseconds(hour * hourMs)
      .toZonedDateTimeISO('Europe/London')
      .toPlainDate()
      .toString() as IsoDate,
)

/** The date in London at this instant. */
export function londonDate(instant: Date): IsoDate {
  return londonDateAt(Math.floor(instant.getTime() / hourMs))
}

const londonMidnight = remembered(
  (date: IsoDate) => Temporal.PlainDate.from(date).toZonedDateTime('Europe/London').epochMilliseconds,
)

/** The first instant of a London day. */
export function startOfLondonDay(date: IsoDate): Date {
  return new Date(londonMidnight(date))
}

/** The last millisecond before this day begins in London. */
export function endOfDayBefore(date: IsoDate): Date {
  return new Date(startOfLondonDay(date).getTime() - 1)
}

export function addDays(date: IsoDate, days: number): IsoDate {
  return dayAt(utcOf(date) + days * dayMs)
}

/**
 * The same day of a later (or earlier) month, clipped to the end of that month: 31 January + 1 is 28 or 29 February.
 */
export function addMonths(date: IsoDate, months: number): IsoDate {
  const firstOfMonth = new Date(utcOf(`${date.slice(0, 8)}01`))
  firstOfMonth.setUTCMonth(firstOfMonth.getUTCMonth() + months)
  const nextMonth = Date.UTC(firstOfMonth.getUTCFullYear(), firstOfMonth.getUTCMonth() + 1)
  return dayAt(Math.min(firstOfMonth.getTime() + (dayOfMonth(date) - 1) * dayMs, nextMonth - dayMs))
}

/** Days from `from` to `to`; 0 for the same day, negative when `to` is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return (utcOf(to) - utcOf(from)) / dayMs
}

/** The number of days in a period, including both ends; 0 if the period is empty. */
export function daysInPeriod(from: IsoDate, to: IsoDate): number {
  return Math.max(0, daysBetween(from, to) + 1)
}

/** The day of the month, 1–31. */
export function dayOfMonth(date: IsoDate): number {
  return Number(date.slice(8))
}

/** ISO weekday: Monday 1 … Sunday 7. */
export function weekday(date: IsoDate): number {
  return new Date(utcOf(date)).getUTCDay() || 7
}

export function laterOf(a: IsoDate, b: IsoDate): IsoDate {
  return a > b ? a : b
}

export function earlierOf(a: IsoDate, b: IsoDate): IsoDate {
  return a < b ? a : b
}

/**
 * The last day of a contract that lasts this many months: the day before the start date's day of the month, `months`
 * later. If that month has no such day, its last day is used instead: a month from 31 January ends on 27 February, or
 * on the 28th in a leap year.
 */
export function lastDayOfTerm(start: IsoDate, months: number): IsoDate {
  return addDays(addMonths(start, months), -1)
}

/** The given day in the month of `date`. Accepts only days 1–28, which every month has; throws RangeError otherwise. */
export function onDayOfMonth(date: IsoDate, day: number): IsoDate {
  if (!Number.isInteger(day) || day < 1 || day > 28) throw new RangeError(`not a day between 1 and 28: ${day}`)
  return `${date.slice(0, 8)}${String(day).padStart(2, '0')}` as IsoDate
}

/** Calendar months from the month of `from` to the month of `to`, ignoring the days: 31 January to 1 February is 1. */
export function calendarMonthsBetween(from: IsoDate, to: IsoDate): number {
  return (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) * 12 + Number(to.slice(5, 7)) - Number(from.slice(5, 7))
}
