import type { IsoDate } from '../../kernel/dates.ts'
import type { Contract } from './contract.ts'

/** The last day of the contract, which is earlier than agreed if it ends early. */
export function lastDayOf({ endsOn, endedOn }: Pick<Contract, 'endsOn' | 'endedOn'>): IsoDate {
  return endedOn ?? endsOn
}
