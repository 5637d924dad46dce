import { addMonths, type IsoDate, isIsoDate } from '../kernel/dates.ts'

/** "Over 18" = the 18th birthday has been reached today; one born on 29 February reaches it on 28 February of a common year. */
export function isUnder18(dateOfBirth: string, today: IsoDate): boolean {
  return isIsoDate(dateOfBirth) && addMonths(dateOfBirth, 18 * 12) > today
}
