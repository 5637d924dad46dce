import { addDays, type IsoDate } from '../../platform/kernel/dates.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** How a household moves in, as the partner says it. */
export interface MoveIn {
  /** The day of the keys, which may be before the first day of the contract. */
  date: IsoDate
  /** Who supplies the home until the first day, where the partner knows it. */
  electricitySupplier?: string
  gasSupplier?: string
}

/** How many days before the first day of the contract a household can have moved in, at most. */
const maxDaysBefore = 366

/** Throws `validation_failed` unless the household moves in on the first day of its contract, or in the year before. */
export function requireMoveInDay(moveIn: MoveIn | null | undefined, contractStartDate: IsoDate): void {
  const earliest = addDays(contractStartDate, -maxDaysBefore)
  if (!moveIn || (moveIn.date >= earliest && moveIn.date <= contractStartDate)) return
  const detail = `Must be from ${earliest} to ${contractStartDate}, the first day of the contract.`
  throw invalidFields([{ pointer: '/moveIn/date', code: 'out_of_range', detail }])
}

/** The day on which a household moves in: the first day of the contract if nobody said another. */
export function moveInDay({
  moveIn,
  contractStartDate,
}: {
  moveIn: MoveIn | null
  contractStartDate: IsoDate
}): IsoDate {
  return moveIn?.date ?? contractStartDate
}

/** Who is responsible for a home after a household has left it. `unknown`: nobody could find out. */
export const nextOccupierKinds = ['landlord', 'agent', 'new_tenants', 'unknown'] as const

/** Who is responsible for a home next, and how to reach them. Encrypted as a whole. */
export interface NextOccupier {
  who: (typeof nextOccupierKinds)[number]
  /** A person or a business; null if it was not said. */
  name: string | null
  /** An e-mail address, telephone number or postal address; null if it was not said. */
  contact: string | null
  /** The tenant who said so; null if it was the partner or the operator. */
  givenBy: Id<'tenant'> | null
}
