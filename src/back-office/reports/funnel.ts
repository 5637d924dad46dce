import { addDays, daysInPeriod, type IsoDate } from '../../platform/kernel/dates.ts'
import { type DomainError, invalidFields } from '../../platform/kernel/errors.ts'

/** The first and the last day of a report. Both belong to it. */
export interface Period {
  from: IsoDate
  to: IsoDate
}

/** How many days a report covers unless its days are given, and how many it can cover. */
export const defaultDays = 30
export const maxDays = 366

/** The days of a report: the last 30 by default. Throws `validation_failed` for a period that is empty or too long. */
export function periodOf(
  { from, to }: { from?: IsoDate | undefined; to?: IsoDate | undefined },
  today: IsoDate,
): Period {
  const last = to ?? (from !== undefined && from > today ? from : today)
  const period = { from: from ?? addDays(last, 1 - defaultDays), to: last }
  const days = daysInPeriod(period.from, period.to)
  if (days < 1) throw wrongPeriod(`must not be later than to, which is ${period.to}.`)
  if (days > maxDays) throw wrongPeriod(`must be at most ${maxDays - 1} days before to, which is ${period.to}.`)
  return period
}

function wrongPeriod(must: string): DomainError {
  const detail = `The day from ${must} Change one of them, or leave both out.`
  return invalidFields([{ pointer: '/query/from', code: 'not_allowed', detail }])
}
