import { addDays, addMonths, type IsoDate, lastDayOfMonths } from '../kernel/dates.ts'
import { DomainError, type FieldError } from '../kernel/errors.ts'

/** A contract's first and last day, and which of them nobody asked for. */
export interface ContractDates {
  start: IsoDate
  end: IsoDate
  startIsDefault: boolean
  endIsDefault: boolean
}

interface ContractDatesChoice {
  start?: IsoDate | undefined
  end?: IsoDate | undefined
  today: IsoDate
}

const defaultDaysAhead = 14
const defaultMonths = 12
const shortestMonths = 1
const longestMonths = 24
const furthestStartMonths = 12

/**
 * The dates of a contract (decisions §4): 14 days ahead and 12 months long unless asked otherwise. A start that is set
 * lies from today to 12 months ahead; the contract lasts 1 to 24 months, to any day.
 * Throws DomainError `validation_failed` with an entry for each bad field, `/contractStartDate` and `/contractEndDate`.
 */
export function chooseContractDates({ start, end, today }: ContractDatesChoice): ContractDates {
  const chosenStart = start ?? addDays(today, defaultDaysAhead)
  const chosenEnd = end ?? lastDayOfMonths(chosenStart, defaultMonths)
  const fields: FieldError[] = []

  const furthestStart = addMonths(today, furthestStartMonths)
  if (start !== undefined && (start < today || start > furthestStart)) {
    fields.push({
      pointer: '/contractStartDate',
      code: 'out_of_range',
      detail: `The contract must start between today, ${today}, and ${furthestStart}.`,
    })
  }
  const earliestEnd = lastDayOfMonths(chosenStart, shortestMonths)
  const latestEnd = lastDayOfMonths(chosenStart, longestMonths)
  if (chosenEnd < earliestEnd || chosenEnd > latestEnd) {
    fields.push({
      pointer: '/contractEndDate',
      code: 'out_of_range',
      detail: `A contract from ${chosenStart} lasts 1 to 24 months: its last day must be between ${earliestEnd} and ${latestEnd}.`,
    })
  }
  if (fields.length > 0) {
    throw new DomainError('validation_failed', 'The contract dates cannot be used. Correct the fields listed.', {
      fields,
    })
  }
  return { start: chosenStart, end: chosenEnd, startIsDefault: start === undefined, endIsDefault: end === undefined }
}

/**
 * The dates an expired quote is priced again for. A start that has not passed stays. A default one moves to 14 days
 * ahead, and a default end with it, 12 months long; an end that was asked for stays. A start that was asked for moves
 * to today and keeps its end.
 * Throws DomainError `quote_expired` where less than a month of the contract would be left.
 */
export function moveContractDates(current: ContractDates, today: IsoDate): ContractDates {
  if (current.start >= today) return current
  const start = current.startIsDefault ? addDays(today, defaultDaysAhead) : today
  const end = current.startIsDefault && current.endIsDefault ? lastDayOfMonths(start, defaultMonths) : current.end
  if (end < lastDayOfMonths(start, shortestMonths)) {
    throw new DomainError(
      'quote_expired',
      'The quote has expired and less than a month of its contract is left, so it cannot be priced again. Create a new quote.',
    )
  }
  return { ...current, start, end }
}
