import { addDays, type IsoDate, laterOf } from '../../src/kernel/dates.ts'
import { addWorkingDays, type BankHolidays, isWorkingDay } from '../../src/kernel/working-days.ts'
import { fateOf } from '../simulated-network.ts'

interface DiaryQuestion {
  uprn: string
  orderDate: IsoDate
  from: IsoDate
}

const noticeWorkingDays = 10
const visitsOffered = 20

/**
 * When the invented engineers can come: days that are worked in every nation, at least ten working days after the
 * order, about a quarter of them taken by others. One home in eight lies where the diary is kept elsewhere: it gets
 * none, and so shows what happens then.
 */
export function installDates({ uprn, orderDate, from }: DiaryQuestion, holidays: BankHolidays): IsoDate[] {
  if (fateOf(uprn, 'diary') < 32) return []
  const free: IsoDate[] = []
  let day = laterOf(from, addWorkingDays(orderDate, noticeWorkingDays, 'england-and-wales', holidays))
  while (free.length < visitsOffered) {
    if (isWorkedEverywhere(day, holidays) && fateOf(uprn, day) >= 64) free.push(day)
    day = addDays(day, 1)
  }
  return free
}

function isWorkedEverywhere(day: IsoDate, holidays: BankHolidays): boolean {
  return isWorkingDay(day, 'england-and-wales', holidays) && isWorkingDay(day, 'scotland', holidays)
}
