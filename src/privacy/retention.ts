import { type Contract, isBinding } from '../contracts/contract.ts'
import { addDays, type IsoDate, isoDate, laterOf } from '../platform/kernel/dates.ts'
import { lastDayOf } from '../quoting/packages/service-status.ts'

/**
 * How many years the records of a contract are kept after it ends. Contract claims can be brought for six years
 * (Limitation Act 1980, section 5), and tax records must be kept for the same time (Finance Act 1998, schedule 18, part
 * 3).
 */
const yearsKeptAfterContract = 6

/** The records that are kept when a customer with a contract is erased. */
export const retainedByLaw = ['contract documents', 'evidence of the acceptance', 'price', 'payment plan'] as const

/** Whether a contract binds the tenant today. It still does on its last day. */
export function isContractRunning(contract: Pick<Contract, 'status' | 'endsOn' | 'endedOn'>, today: IsoDate): boolean {
  return isBinding(contract) && today <= lastDayOf(contract)
}

/** The day until which the law requires the records of these contracts to be kept; null if none are kept. */
export function retainedUntil(
  contracts: readonly Pick<Contract, 'acceptance' | 'endsOn' | 'endedOn'>[],
): IsoDate | null {
  const days = contracts.filter(({ acceptance }) => acceptance !== null).map((each) => keptUntil(lastDayOf(each)))
  return days.reduce<IsoDate | null>((latest, day) => (latest === null ? day : laterOf(latest, day)), null)
}

/** The earliest last day of a contract whose records must still be kept today. */
export function firstDayStillKept(today: IsoDate): IsoDate {
  const day = yearsLater(today, -yearsKeptAfterContract)
  // Records of a contract that ended on 29 February are kept until 1 March.
  const dayBefore = addDays(day, -1)
  return keptUntil(dayBefore) >= today ? dayBefore : day
}

function keptUntil(lastDay: IsoDate): IsoDate {
  return yearsLater(lastDay, yearsKeptAfterContract)
}

/** The same day that many years later, or 1 March where that year has no 29 February. */
function yearsLater(day: IsoDate, years: number): IsoDate {
  const year = Number(day.slice(0, 4)) + years
  const rest = day.slice(5)
  return isoDate(`${year}-${rest === '02-29' ? '03-01' : rest}`)
}
