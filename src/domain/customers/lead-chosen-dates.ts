import { addDays, type IsoDate, startOfLondonDay } from '../../kernel/dates.ts'
import { DomainError, type FieldError } from '../../kernel/errors.ts'
import { chooseContractDates } from '../quotes/contract-dates.ts'
import type { Quote } from '../quotes/quote.ts'
import { requireOperation } from '../quotes/quote-operations.ts'

interface AskedDates {
  isLead: boolean
  today: IsoDate
  now: Date
  contractStartDate?: IsoDate | undefined
  contractEndDate?: IsoDate | undefined
}

interface ChosenDates extends Pick<Quote, 'contractStartDate' | 'contractEndDate' | 'startOrigin' | 'endOrigin'> {
  /** The moment the contract's first day is over: the quote's expiry is never later. */
  startDayEnds: Date
}

/**
 * The contract dates in a tenant's personal information (docs/api-behaviour.md#personal-information). Allowed for the
 * lead tenant only, if the partner did not set them, and until the quote is locked. The quote's current dates change
 * nothing (undefined), so that the call can be repeated. Throws `validation_failed` naming the field, `quote_locked` or
 * `quote_cancelled`.
 */
export function leadChosenDates(quote: Quote, asked: AskedDates): ChosenDates | undefined {
  const wanted = [
    {
      pointer: '/contractStartDate',
      asked: asked.contractStartDate,
      present: quote.contractStartDate,
      origin: quote.startOrigin,
    },
    {
      pointer: '/contractEndDate',
      asked: asked.contractEndDate,
      present: quote.contractEndDate,
      origin: quote.endOrigin,
    },
  ].filter((date) => date.asked !== undefined)
  if (!asked.isLead)
    refuse(
      wanted.map(({ pointer }) => ({
        pointer,
        code: 'not_allowed',
        detail: 'Only the lead tenant sets the contract dates. Leave the field out.',
      })),
    )
  const changes = wanted.filter((date) => date.asked !== date.present)
  if (changes.length === 0) return undefined
  requireOperation(quote, 'set-dates', asked.now)
  refuse(
    changes
      .filter((date) => date.origin === 'partner')
      .map(({ pointer, present }) => ({
        pointer,
        code: 'not_allowed',
        detail: `The quote was created with ${present}. Leave the field out.`,
      })),
  )
  const { start, end } = chooseContractDates({
    start: asked.contractStartDate ?? quote.contractStartDate,
    end: asked.contractEndDate ?? (quote.endOrigin === 'default' ? undefined : quote.contractEndDate),
    today: asked.today,
  })
  return {
    contractStartDate: start,
    contractEndDate: end,
    startOrigin: asked.contractStartDate === undefined ? quote.startOrigin : 'lead',
    endOrigin: asked.contractEndDate === undefined ? quote.endOrigin : 'lead',
    startDayEnds: new Date(startOfLondonDay(addDays(start, 1)).getTime() - 1),
  }
}

function refuse(fields: readonly FieldError[]): void {
  if (fields.length > 0)
    throw new DomainError(
      'validation_failed',
      'The contract dates cannot be set. Correct the fields listed in errors.',
      { fields },
    )
}
