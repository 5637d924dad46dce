import { addDays, addMonths, earlierOf, type IsoDate, isoDate } from '../../platform/kernel/dates.ts'
import type { PsrCategory, PsrDetails } from './psr.ts'

/** The category "families with young children" covers children of five and under. */
const youngChildMonths = 6 * 12

/** The last day on which a need exists; null if it does not end. */
export function lastDayOfNeed({ expiryDate, youngestChildDateOfBirth: birth }: PsrCategory): IsoDate | null {
  if (expiryDate !== undefined) return isoDate(expiryDate)
  return birth === undefined ? null : addDays(addMonths(isoDate(birth), youngChildMonths), -1)
}

/**
 * The day on which what is registered must be reviewed: the day after the next need ends, `infinity` if no need ends
 * any more, `-infinity` if all have ended. Null without needs.
 */
export function psrReviewOn(psr: PsrDetails | null, today: IsoDate): IsoDate | 'infinity' | '-infinity' | null {
  if (psr?.hasPsr !== true) return null
  const lastDays = (psr.categories ?? []).map(lastDayOfNeed)
  const ahead = lastDays.filter((day) => day !== null).filter((day) => day >= today)
  const [first, ...others] = ahead
  if (first !== undefined) return addDays(others.reduce(earlierOf, first), 1)
  return lastDays.includes(null) ? 'infinity' : '-infinity'
}
