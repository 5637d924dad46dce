import { addMonths, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, noPence } from '../../platform/kernel/money.ts'
import { type ContractFacts, tenantShare } from '../contract-facts.ts'
import type { EarlyExitTerms } from '../terms/fee-terms.ts'
import {
  earliestLastDay,
  earlyExitInWords,
  exitFee,
  feeInWords,
  firstLastDayWithoutFee,
  isFreeWhenTenancyEnds,
  waiversInWords,
} from '../terms/fees-in-words.ts'

/**
 * What ending this contract early takes and costs, one paragraph each: the terms in words, as far as they can apply to
 * a contract as long as this one.
 */
export function leavingEarlyInWords(facts: ContractFacts): string[] {
  const { terms } = facts
  if (terms.earlyExit === undefined) return earlyExitInWords(terms)
  if (earliestEnd(facts, terms.earlyExit) >= facts.price.contractEndDate)
    return [
      `This contract is too short to be ended early: a notice of ${terms.earlyExit.noticeDays} days would not be over before its last day. You can still cancel it in the cancellation period, and leave it if we break it.`,
      ...waiversInWords(terms.earlyExit),
    ]
  if (canCostToLeave(facts)) return earlyExitInWords(terms)
  return earlyExitInWords({ ...terms, earlyExit: { ...terms.earlyExit, feePence: 0, feePencePerMonthLeft: 0 } })
}

/** Whether there is a day on which this contract could be ended early for a fee. */
export function canCostToLeave(facts: ContractFacts): boolean {
  const { earlyExit, words } = facts.terms
  if (earlyExit === undefined) return words.endingEarly !== undefined
  const { contractEndDate } = facts.price
  return (
    feeInWords(earlyExit) !== null && earliestEnd(facts, earlyExit) < firstLastDayWithoutFee(earlyExit, contractEndDate)
  )
}

/** The earliest last day for who gives notice on the day on which they accept. */
function earliestEnd({ acceptedAt }: ContractFacts, terms: EarlyExitTerms): IsoDate {
  return earliestLastDay(terms, londonDate(acceptedAt))
}

/** Somebody gives notice three months after the first day. Null if leaving then is impossible or free. */
export function exampleOfLeaving(facts: ContractFacts): string | null {
  const terms = facts.terms.earlyExit
  if (terms === undefined) return null
  const { contractStartDate: startDate, contractEndDate: endDate } = facts.price
  const noticeGivenOn = addMonths(startDate, 3)
  const lastDay = earliestLastDay(terms, noticeGivenOn)
  const firstFree = firstLastDayWithoutFee(terms, endDate)
  if (lastDay >= firstFree) return null
  const { monthlyCost } = tenantShare(facts)
  const { fee } = exitFee(terms, { noticeGivenOn, lastDay, startDate, endDate, monthlyCost, unpaidSetUp: noPence })
  if (fee === 0) return null
  return `For example, if you tell us on ${dayInWords(noticeGivenOn)}, the contract can end on ${dayInWords(lastDay)}. You then pay an exit fee of ${formatPounds(fee)}. If ${isFreeWhenTenancyEnds(facts.terms) ? 'your tenancy ends, or ' : ''}your last day is ${dayInWords(firstFree)} or later, you pay none.`
}
