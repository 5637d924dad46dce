import { addMonths } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, noPence } from '../../platform/kernel/money.ts'
import { type ContractFacts, tenantShare } from '../contract-facts.ts'
import type { Block } from '../document.ts'
import { earliestLastDay, exitFee, firstLastDayWithoutFee } from '../terms/exit-fee.ts'
import type { EarlyExitTerms } from '../terms/fee-terms.ts'
import { earlyExitInWords } from '../terms/fees-in-words.ts'
import { heading, paragraph } from './blocks.ts'

/** What leaving early costs: the terms in words, and an example with this contract's dates and price. */
export function leavingEarly(facts: ContractFacts): Block[] {
  const { earlyExit } = facts.terms
  const example = earlyExit === undefined ? [] : [exampleOf(facts, earlyExit)].filter((text) => text !== null)
  return [heading('Leaving early'), ...[...earlyExitInWords(facts.terms), ...example].map(paragraph)]
}

/** Somebody gives notice three months after the first day. Null if leaving then is impossible or free. */
function exampleOf(facts: ContractFacts, terms: EarlyExitTerms): string | null {
  const { contractStartDate: startDate, contractEndDate: endDate } = facts.price
  const noticeGivenOn = addMonths(startDate, 3)
  const lastDay = earliestLastDay(terms, noticeGivenOn)
  const firstFree = firstLastDayWithoutFee(terms, endDate)
  if (lastDay >= firstFree) return null
  const { monthlyCost } = tenantShare(facts)
  const { fee } = exitFee(terms, { noticeGivenOn, lastDay, startDate, endDate, monthlyCost, unpaidSetUp: noPence })
  if (fee === 0) return null
  return `For example, if you tell us on ${dayInWords(noticeGivenOn)}, the contract can end on ${dayInWords(lastDay)}. You then pay an exit fee of ${formatPounds(fee)}. If your last day is ${dayInWords(firstFree)} or later, you pay none.`
}
