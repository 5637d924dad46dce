import type { Contract } from '../../contracts/contract.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'

/** The last day of the contract, which is earlier than agreed if it ends early. */
export function lastDayOf({ endsOn, endedOn }: Pick<Contract, 'endsOn' | 'endedOn'>): IsoDate {
  return endedOn ?? endsOn
}
