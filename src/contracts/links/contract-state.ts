import { londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords, momentInWords } from '../../platform/kernel/in-words.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import { type Contract, cancellableUntil, type EndReason } from '../contract.ts'

/** The present state of a contract in words, for its tenant. */
interface StateInWords {
  heading: string
  sentences: readonly string[]
}

/** Why a contract never took effect or is over; for a reason that is missing, the status says enough. */
const reasons: Partial<Record<EndReason, string>> = {
  lock_ended: 'Not every tenant of the household accepted in time.',
  reopened: 'The quote was changed before every tenant had accepted.',
  quote_cancelled: 'The quote was cancelled.',
  withdrawn: 'You withdrew before it took effect.',
  notice: 'It was ended early.',
  replaced: 'Another tenant took over your share.',
}

/** Says where the contract stands now. */
export function contractState(contract: Contract): StateInWords {
  const { status, effectiveAt, endsOn, endedOn, endReason } = contract
  const why = endReason === null ? [] : [reasons[endReason] ?? ''].filter((reason) => reason !== '')
  const day = dayInWords(endedOn ?? endsOn)
  switch (status) {
    case 'agreed':
      return {
        heading: 'Your contract is not in force yet',
        sentences: ['It takes effect when every tenant of your household has accepted. Until then you owe nothing.'],
      }
    case 'in_force':
      return {
        heading: 'Your contract is in force',
        sentences: [
          ...(effectiveAt === null ? [] : [`In force since ${momentInWords(effectiveAt)}.`]),
          ...cancellation(contract),
          `Its last day is ${dayInWords(lastDayOf(contract))}.`,
          ...why,
        ],
      }
    case 'cancelled':
      return { heading: 'Your contract was cancelled', sentences: [`It was cancelled on ${day}.`, ...why] }
    case 'ended':
      return { heading: 'Your contract has ended', sentences: [`Its last day was ${day}.`, ...why] }
    case 'lapsed':
    case 'superseded':
      return { heading: 'This contract never took effect', sentences: [...why, 'Nobody owes anything under it.'] }
  }
}

function cancellation(contract: Contract): string[] {
  const until = cancellableUntil(contract)
  return until === null
    ? []
    : [`You can cancel without giving a reason until the end of ${dayInWords(londonDate(until))}.`]
}
