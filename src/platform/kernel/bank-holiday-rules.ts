import { addDays, type IsoDate, isoDate, weekday } from './dates.ts'

/** The parts of the United Kingdom with their own bank holidays, named as in the government's list. */
export const holidayDivisions = ['england-and-wales', 'scotland', 'northern-ireland'] as const
export type HolidayDivision = (typeof holidayDivisions)[number]

const monday = 1

/**
 * The day of each yearly holiday, before any substitute: the Banking and Financial Dealings Act 1971, Schedule 1, and
 * yearly proclamations.
 */
const rules = {
  newYear: (year) => day(year, '01-01'),
  secondOfJanuary: (year) => day(year, '01-02'),
  stPatrick: (year) => day(year, '03-17'),
  goodFriday: (year) => addDays(easterSunday(year), -2),
  easterMonday: (year) => addDays(easterSunday(year), 1),
  earlyMay: (year) => firstMondayFrom(day(year, '05-01')),
  spring: (year) => lastMondayUntil(day(year, '05-31')),
  boyne: (year) => day(year, '07-12'),
  summerInScotland: (year) => firstMondayFrom(day(year, '08-01')),
  summer: (year) => lastMondayUntil(day(year, '08-31')),
  stAndrew: (year) => day(year, '11-30'),
  christmas: (year) => day(year, '12-25'),
  boxing: (year) => day(year, '12-26'),
} as const satisfies Record<string, (year: number) => IsoDate>

type Holiday = keyof typeof rules

// biome-ignore format: aligned as a table
const observed: Record<HolidayDivision, readonly Holiday[]> = {
  'england-and-wales': ['newYear', 'goodFriday', 'easterMonday', 'earlyMay', 'spring', 'summer', 'christmas', 'boxing'],
  scotland: ['newYear', 'secondOfJanuary', 'goodFriday', 'earlyMay', 'spring', 'summerInScotland', 'stAndrew', 'christmas', 'boxing'],
  'northern-ireland': ['newYear', 'stPatrick', 'goodFriday', 'easterMonday', 'earlyMay', 'spring', 'boyne', 'summer', 'christmas', 'boxing'],
}

/**
 * The bank holidays of a year by the division's standing rules, in order. A holiday on a weekend is observed on the
 * next weekday that is not a holiday itself. One-off holidays, such as a coronation's, and moved ones are only known
 * once they are proclaimed.
 */
export function bankHolidaysByRule(division: HolidayDivision, year: number): IsoDate[] {
  const days = observed[division].map((holiday) => rules[holiday](year))
  const onWeekdays = days.filter((each) => !isWeekend(each))
  const taken = new Set(onWeekdays)
  for (const weekend of days.filter(isWeekend)) {
    let substitute = weekend
    while (isWeekend(substitute) || taken.has(substitute)) substitute = addDays(substitute, 1)
    taken.add(substitute)
  }
  return [...taken].sort()
}

function day(year: number, monthAndDay: string): IsoDate {
  return isoDate(`${year}-${monthAndDay}`)
}

function isWeekend(date: IsoDate): boolean {
  return weekday(date) > 5
}

function firstMondayFrom(date: IsoDate): IsoDate {
  return addDays(date, (monday - weekday(date) + 7) % 7)
}

function lastMondayUntil(date: IsoDate): IsoDate {
  return addDays(date, monday - weekday(date))
}

/**
 * Easter Sunday in the Gregorian calendar. The paschal full moon falls on one of 30 days after 21 March, by the year's
 * place in the 19-year cycle of the moon and the corrections of each century; Easter is the Sunday after it.
 */
function easterSunday(year: number): IsoDate {
  const century = Math.floor(year / 100)
  const skippedLeapDays = century - Math.floor(century / 4)
  const moonCorrection = Math.floor((8 * century + 13) / 25)
  const age = (19 * (year % 19) + skippedLeapDays - moonCorrection + 15) % 30
  // The moon's cycle is a little shorter than 30 days, so the latest dates are brought forward by one.
  const early = age === 29 || (age === 28 && year % 19 > 10) ? 1 : 0
  const fullMoon = addDays(day(year, '03-21'), age - early)
  return addDays(fullMoon, 7 - (weekday(fullMoon) % 7))
}
