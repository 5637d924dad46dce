import {
  addDays,
  addMonths,
  endOfDayBefore,
  type IsoDate,
  lastDayOfTerm,
  laterOf,
  londonDate,
} from '../../platform/kernel/dates.ts'
import { DomainError, type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import { wholeDays } from './quote-policy.ts'

/** A contract's first and last day, and whether each is a default. */
export interface ContractDates {
  start: IsoDate
  end: IsoDate
  startIsDefault: boolean
  endIsDefault: boolean
}

/**
 * The day of the call, and how many days later a contract starts by default (`defaultDaysAhead` of the quote policy).
 */
export interface DateRules {
  today: IsoDate
  daysAhead: number
}

interface ContractDatesChoice extends DateRules {
  start?: IsoDate | undefined
  end?: IsoDate | undefined
}

const defaultMonths = 12
const shortestMonths = 1
const longestMonths = 24
const furthestStartMonths = 12

/**
 * Chooses the contract dates (docs/api-behaviour.md#contract-dates); by default, 12 months starting `daysAhead` days
 * from today. Throws DomainError `validation_failed` with all errors from `contractDateErrors`.
 */
export function chooseContractDates(choice: ContractDatesChoice): ContractDates {
  const fields = contractDateErrors(choice)
  if (fields.length > 0) throw invalidFields(fields)
  const { start, end } = withDefaults(choice)
  return { start, end, startIsDefault: choice.start === undefined, endIsDefault: choice.end === undefined }
}

/**
 * Returns an error for each invalid date: for `/contractStartDate`, `/contractEndDate` or both. A requested start must
 * be between tomorrow and 12 months ahead: nobody can agree to a contract on or after its first day. A contract must
 * last 1 to 24 months and may end on any day.
 */
export function contractDateErrors(choice: ContractDatesChoice): FieldError[] {
  const { today } = choice
  const { start, end } = withDefaults(choice)
  const fields: FieldError[] = []

  const earliestStart = addDays(today, 1)
  const furthestStart = addMonths(today, furthestStartMonths)
  if (choice.start !== undefined && (start < earliestStart || start > furthestStart)) {
    fields.push({
      pointer: '/contractStartDate',
      code: 'out_of_range',
      detail: `The contract must start between tomorrow (${earliestStart}) and ${furthestStart}.`,
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

function withDefaults({ start, end, today, daysAhead }: ContractDatesChoice): { start: IsoDate; end: IsoDate } {
  const chosenStart = start ?? addDays(today, daysAhead)
  return { start: chosenStart, end: end ?? lastDayOfTerm(chosenStart, defaultMonths) }
}

/**
 * The contract dates for repricing an expired quote (docs/api-behaviour.md#repricing). A default start moves to
 * `daysAhead` days from today if it is nearer. A requested start that has come moves to tomorrow. A default end moves
 * with the start, so that the contract keeps its twelve months; a requested end does not change. Throws DomainError
 * `quote_expired` if less than a month of the contract would be left.
 */
export function moveContractDates(current: ContractDates, { today, daysAhead }: DateRules): ContractDates {
  const start = laterOf(current.start, addDays(today, current.startIsDefault ? daysAhead : 1))
  if (start === current.start) return current
  const end = current.endIsDefault ? lastDayOfTerm(start, defaultMonths) : current.end
  if (end < lastDayOfTerm(start, shortestMonths)) {
    throw new DomainError(
      'quote_expired',
      'The quote has expired and less than a month of its contract is left, so it cannot be repriced. Create a new quote.',
    )
  }
  return { ...current, start, end }
}

/**
 * When the prices expire (docs/api-behaviour.md#expiry): `validitySeconds` from now, but no later than the end of the
 * rate card's last day on sale or the end of the day before the contract starts, nor on a later day because the clocks
 * were put forward.
 */
export function expiryOf(offer: {
  now: Date
  validitySeconds: number
  onSaleTo: IsoDate | null
  contractStartDate: IsoDate
}): Date {
  const { now, validitySeconds } = offer
  const lastDay = addDays(londonDate(now), wholeDays(validitySeconds))
  const ends = [now.getTime() + validitySeconds * 1000]
  for (const dayAfter of [addDays(lastDay, 1), offer.contractStartDate]) ends.push(endOfDayBefore(dayAfter).getTime())
  if (offer.onSaleTo !== null) ends.push(endOfDayBefore(addDays(offer.onSaleTo, 1)).getTime())
  return new Date(Math.min(...ends))
}
