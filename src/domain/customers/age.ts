import { type IsoDate, isIsoDate } from '../../kernel/dates.ts'

/**
 * "Over 18" = the 18th birthday has been reached today. Who was born on 29 February reaches it on 1 March: eighteen years after a
 * leap year there is never another (Family Law Reform Act 1969, section 9, counts to the anniversary of the birth).
 */
export function isUnder18(dateOfBirth: string, today: IsoDate): boolean {
  return isIsoDate(dateOfBirth) && eighteenthBirthday(dateOfBirth) > today
}

/** As text that compares with a day. */
function eighteenthBirthday(dateOfBirth: IsoDate): string {
  const year = Number(dateOfBirth.slice(0, 4)) + 18
  const day = dateOfBirth.slice(5)
  return `${year}-${day === '02-29' ? '03-01' : day}`
}
