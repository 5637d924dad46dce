import { addDays, addMonths, daysBetween, type IsoDate, lastDayOfTerm } from '../../kernel/dates.ts'
import { DomainError, type FieldError } from '../../kernel/errors.ts'

/** A contract's first and last day, and whether each is a default. */
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
 * Chooses the contract dates (docs/api-behaviour.md#contract-dates); by default, 12 months starting 14 days from today. Throws
 * DomainError `validation_failed` with all errors from `contractDateErrors`.
 */
export function chooseContractDates(choice: ContractDatesChoice): ContractDates {
  const fields = contractDateErrors(choice)
  if (fields.length > 0) {
    throw new DomainError('validation_failed', 'The contract dates are invalid. Correct the fields listed in errors.', {
      fields,
    })
  }
  const { start, end } = withDefaults(choice)
  return { start, end, startIsDefault: choice.start === undefined, endIsDefault: choice.end === undefined }
}

/**
 * Returns an error for each invalid date: for `/contractStartDate`, `/contractEndDate` or both. A requested start must be between
 * today and 12 months ahead. A contract must last 1 to 24 months and may end on any day.
 */
export function contractDateErrors(choice: ContractDatesChoice): FieldError[] {
  const { today } = choice
  const { start, end } = withDefaults(choice)
  const fields: FieldError[] = []

  const furthestStart = addMonths(today, furthestStartMonths)
  if (choice.start !== undefined && (start < today || start > furthestStart)) {
    fields.push({
      pointer: '/contractStartDate',
      code: 'out_of_range',
      detail: `The contract must start between today (${today}) and ${furthestStart}.`,
    })
  }
  const earliestEnd = lastDayOfTerm(start, shortestMonths)
  const latestEnd = lastDayOfTerm(start, longestMonths)
  if (end < earliestEnd || end > latestEnd) {
    fields.push({
      pointer: '/contractEndDate',
      code: 'out_of_range',
      detail: `A contract lasts 1 to 24 months. If it starts on ${start}, its last day must be between ${earliestEnd} and ${latestEnd}.`,
    })
  }
  return fields
}

function withDefaults({ start, end, today }: ContractDatesChoice): { start: IsoDate; end: IsoDate } {
  const chosenStart = start ?? addDays(today, defaultDaysAhead)
  return { start: chosenStart, end: end ?? lastDayOfTerm(chosenStart, defaultMonths) }
}

/**
 * The contract dates for repricing an expired quote (docs/api-behaviour.md#repricing). A start that has not passed does not change.
 * A default start moves to 14 days from today, and the contract keeps its length: 12 months, or the number of days to a requested
 * end. A requested start moves to today, and the end does not change. Throws DomainError `quote_expired` if less than a month of
 * the contract would be left.
 */
export function moveContractDates(current: ContractDates, today: IsoDate): ContractDates {
  if (current.start >= today) return current
  if (current.startIsDefault) {
    const start = addDays(today, defaultDaysAhead)
    const end = current.endIsDefault
      ? lastDayOfTerm(start, defaultMonths)
      : addDays(start, daysBetween(current.start, current.end))
    return { ...current, start, end }
  }
  if (current.end < lastDayOfTerm(today, shortestMonths)) {
    throw new DomainError(
      'quote_expired',
      'The quote has expired and less than a month of its contract is left, so it cannot be repriced. Create a new quote.',
    )
  }
  return { ...current, start: today }
}
