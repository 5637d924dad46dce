import { addDays, type IsoDate, laterOf } from '../../../platform/kernel/dates.ts'
import { addWorkingDays, type BankHolidays, isWorkingDay } from '../../../platform/kernel/working-days.ts'
import { deriveStableByte } from '../simulated-network.ts'

interface DiaryQuery {
  uprn: string
  orderDate: IsoDate
  from: IsoDate
}

const noticeWorkingDays = 10
const maxDays = 20

/**
 * The days on which the invented engineers are free: working days in every nation, at least ten working days after the
 * order. About a quarter of these days are already booked and are left out. One property in eight has no free days, to
 * show what happens then.
 */
export function installDates({ uprn, orderDate, from }: DiaryQuery, holidays: BankHolidays): IsoDate[] {
  if (deriveStableByte(uprn, 'diary') < 32) return []
  const free: IsoDate[] = []
  let day = laterOf(from, addWorkingDays(orderDate, noticeWorkingDays, 'england-and-wales', holidays))
  while (free.length < maxDays) {
    if (isWorkedEverywhere(day, holidays) && deriveStableByte(uprn, day) >= 64) free.push(day)
    day = addDays(day, 1)
  }
  return free
}

function isWorkedEverywhere(day: IsoDate, holidays: BankHolidays): boolean {
  return isWorkingDay(day, 'england-and-wales', holidays) && isWorkingDay(day, 'scotland', holidays)
}
