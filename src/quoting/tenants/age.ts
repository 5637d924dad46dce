import { type IsoDate, isIsoDate } from '../../platform/kernel/dates.ts'

/**
 * Whether someone's 18th birthday is after today. Anyone born on 29 February turns 18 on 1 March, because the year
 * eighteen years after a leap year is never a leap year (Family Law Reform Act 1969, section 9).
 */
export function isUnder18(dateOfBirth: string, today: IsoDate): boolean {
  return isIsoDate(dateOfBirth) && eighteenthBirthday(dateOfBirth) > today
}

/** The 18th birthday, as a string that sorts like a date. */
function eighteenthBirthday(dateOfBirth: IsoDate): string {
  const year = Number(dateOfBirth.slice(0, 4)) + 18
  const day = dateOfBirth.slice(5)
  return `${year}-${day === '02-29' ? '03-01' : day}`
}
