import { endOfDayBefore, type IsoDate } from '../platform/kernel/dates.ts'
import { type FieldError, invalidFields } from '../platform/kernel/errors.ts'
import { chooseContractDates } from '../quoting/quotes/contract-dates.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { requireOperation } from '../quoting/quotes/quote-operations.ts'

interface RequestedDates {
  isLead: boolean
  today: IsoDate
  daysAhead: number
  now: Date
  contractStartDate?: IsoDate | undefined
  contractEndDate?: IsoDate | undefined
}

interface ChosenDates extends Pick<Quote, 'contractStartDate' | 'contractEndDate' | 'startOrigin' | 'endOrigin'> {
  /** The end of the day before the contract starts, which is the latest time at which the quote may expire. */
  latestExpiry: Date
}

/**
 * Checks and applies the contract dates in a tenant's personal information
 * (docs/api-behaviour.md#personal-information). Only the lead tenant may change them, only if the partner did not set
 * them, and only until the quote is locked. Returns undefined if the dates do not change, so that the call can be
 * repeated. Throws `validation_failed` naming the field, `quote_locked` or
 * `quote_cancelled`.
 */
export function resolveLeadChosenDates(quote: Quote, requested: RequestedDates): ChosenDates | undefined {
  const wanted = [
    {
      pointer: '/contractStartDate',
      requested: requested.contractStartDate,
      present: quote.contractStartDate,
      origin: quote.startOrigin,
    },
    {
      pointer: '/contractEndDate',
      requested: requested.contractEndDate,
      present: quote.contractEndDate,
      origin: quote.endOrigin,
    },
  ].filter((date) => date.requested !== undefined)
  if (!requested.isLead)
    throwIfAny(
      wanted.map(({ pointer }) => ({
        pointer,
        code: 'not_allowed',
        detail: 'Only the lead tenant sets the contract dates. Leave the field out.',
      })),
    )
  const changes = wanted.filter((date) => date.requested !== date.present)
  if (changes.length === 0) return undefined
  requireOperation(quote, 'set-dates', requested.now)
  throwIfAny(
    changes
      .filter((date) => date.origin === 'partner')
      .map(({ pointer, present }) => ({
        pointer,
        code: 'not_allowed',
        detail: `The quote was created with ${present}. Leave the field out.`,
      })),
  )
  const { start, end } = chooseContractDates({
    start: requested.contractStartDate ?? quote.contractStartDate,
    end: requested.contractEndDate ?? (quote.endOrigin === 'default' ? undefined : quote.contractEndDate),
    today: requested.today,
    daysAhead: requested.daysAhead,
  })
  return {
    contractStartDate: start,
    contractEndDate: end,
    startOrigin: requested.contractStartDate === undefined ? quote.startOrigin : 'lead',
    endOrigin: requested.contractEndDate === undefined ? quote.endOrigin : 'lead',
    latestExpiry: endOfDayBefore(start),
  }
}

function throwIfAny(fields: readonly FieldError[]): void {
  if (fields.length > 0) throw invalidFields(fields)
}
