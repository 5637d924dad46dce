import { parse } from 'csv-parse/sync'
import { bankHolidaysByRule, type HolidayDivision, holidayDivisions } from './bank-holiday-rules.ts'
import { addDays, addMonths, type IsoDate, isIsoDate, weekday } from './dates.ts'

export type { HolidayDivision }

/** One division's bank holidays. New ones are announced at short notice, so the operator maintains them as data. */
interface DivisionHolidays {
  days: ReadonlySet<IsoDate>
  /**
   * The last day of the table's last year. Later holidays are worked out, and may change when the year's are announced.
   */
  coveredUntil: IsoDate
}

export type BankHolidays = Readonly<Record<HolidayDivision, DivisionHolidays>>

const columns = ['division', 'date', 'title', 'substitute_day'] as const

/**
 * Parses the holiday table: CSV with the columns division, date, title, substitute_day. Throws an Error naming the row
 * that is invalid, or the division that has no holidays.
 */
export function parseBankHolidays(csv: string): BankHolidays {
  const [header = [], ...rows] = parse(csv, { bom: true, skip_empty_lines: true, trim: true })
  if (header.join() !== columns.join()) throw new Error(`bank holidays: expected the columns ${columns.join()}`)

  const days: Record<HolidayDivision, Set<IsoDate>> = {
    'england-and-wales': new Set(),
    scotland: new Set(),
    'northern-ireland': new Set(),
  }
  for (const [index, [division = '', date = '']] of rows.entries()) {
    const where = `bank holidays, row ${index + 1}`
    if (!isHolidayDivision(division)) throw new Error(`${where}: unknown division: ${division}`)
    if (!isIsoDate(date)) throw new Error(`${where}: not a calendar day: ${date}`)
    days[division].add(date)
  }
  return {
    'england-and-wales': covering('england-and-wales', days['england-and-wales']),
    scotland: covering('scotland', days.scotland),
    'northern-ireland': covering('northern-ireland', days['northern-ireland']),
  }
}

function covering(division: HolidayDivision, days: ReadonlySet<IsoDate>): DivisionHolidays {
  const last = [...days].sort().at(-1)
  if (last === undefined) throw new Error(`bank holidays: none for ${division}`)
  return { days, coveredUntil: `${last.slice(0, 4)}-12-31` as IsoDate }
}

function isHolidayDivision(text: string): text is HolidayDivision {
  return holidayDivisions.some((division) => division === text)
}

/**
 * The division whose bank holidays a country observes. The country's name can be in any letter case. England and Wales
 * share one division. It is also the default if the address source gives a different name ("United Kingdom") or no
 * country.
 */
export function divisionOfCountry(country: string): HolidayDivision {
  switch (country.trim().toLowerCase()) {
    case 'scotland':
      return 'scotland'
    case 'northern ireland':
      return 'northern-ireland'
    default:
      return 'england-and-wales'
  }
}

/**
 * Whether the day is a bank holiday: up to `coveredUntil` one in the table, after that one worked out by the division's
 * standing rules (docs/api-behaviour.md#bank-holidays).
 */
function isBankHoliday(day: IsoDate, division: HolidayDivision, holidays: BankHolidays): boolean {
  const { days, coveredUntil } = holidays[division]
  return day <= coveredUntil ? days.has(day) : daysByRule(division, day.slice(0, 4)).has(day)
}

const workedOut = new Map<string, ReadonlySet<IsoDate>>()

/** Keeps each year, because plans and install dates look at many of its days. */
function daysByRule(division: HolidayDivision, year: string): ReadonlySet<IsoDate> {
  const key = `${division} ${year}`
  const known = workedOut.get(key) ?? new Set(bankHolidaysByRule(division, Number(year)))
  workedOut.set(key, known)
  return known
}

/** The divisions whose table ends within a year of `today`, so that contracts sold now can run beyond it. */
export function divisionsEndingSoon(holidays: BankHolidays, today: IsoDate): HolidayDivision[] {
  return holidayDivisions.filter((division) => holidays[division].coveredUntil < addMonths(today, 12))
}

/** For how many years after the table the days are listed: a sandbox's clock goes no further. */
const listedYears = 12

/** The bank holidays of a division: those of the table, then those by rule. */
export function bankHolidayDays(division: HolidayDivision, holidays: BankHolidays): IsoDate[] {
  const { days, coveredUntil } = holidays[division]
  const last = Number(coveredUntil.slice(0, 4))
  const years = Array.from({ length: listedYears }, (_, index) => String(last + 1 + index))
  return [...days, ...years.flatMap((year) => [...daysByRule(division, year)])]
}

/** True for Monday to Friday, except bank holidays. */
export function isWorkingDay(day: IsoDate, division: HolidayDivision, holidays: BankHolidays): boolean {
  return weekday(day) <= 5 && !isBankHoliday(day, division, holidays)
}

/** The day itself if it is a working day, otherwise the first working day after it. */
export function nextWorkingDay(day: IsoDate, division: HolidayDivision, holidays: BankHolidays): IsoDate {
  let candidate = day
  while (!isWorkingDay(candidate, division, holidays)) candidate = addDays(candidate, 1)
  return candidate
}

/** The n-th working day after `day`. `day` itself is not counted and need not be a working day. */
export function addWorkingDays(
  day: IsoDate,
  count: number,
  division: HolidayDivision,
  holidays: BankHolidays,
): IsoDate {
  let reached = day
  for (let added = 0; added < count; added += 1) reached = nextWorkingDay(addDays(reached, 1), division, holidays)
  return reached
}
