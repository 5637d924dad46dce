import { addMonths } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, noPence } from '../../platform/kernel/money.ts'
import { type ContractFacts, tenantShare } from '../contract-facts.ts'
import type { Block, Section } from '../document.ts'
import { earliestLastDay, exitFee, firstLastDayWithoutFee } from '../terms/exit-fee.ts'
import type { EarlyExitTerms } from '../terms/fee-terms.ts'
import { earlyExitInWords } from '../terms/fees-in-words.ts'
import { isDraft, takesEffect, waitsForOthers } from './agreement.ts'
import { detail, heading, headingWithTerms, paragraph } from './blocks.ts'

/** How long the contract lasts and how it ends: Schedule 2 (s) and (t). */
export function durationSection(facts: ContractFacts): Section {
  const { price, terms } = facts
  const lastDay = dayInWords(price.contractEndDate)
  return {
    id: 'duration',
    heading: 'How long it lasts and how it ends',
    blocks: [
      ...takingEffect(facts),
      {
        kind: 'details',
        items: [
          detail('First day', dayInWords(price.contractStartDate)),
          detail('Last day', `${lastDay}. This is also the end of the minimum term`),
        ],
      },
      paragraph(
        'You pay for the whole time, unless you cancel in the cancellation period or the contract ends early as described here.',
      ),
      ...leavingEarly(facts),
      ...headingWithTerms(facts, 'After the last day', terms.words.atTheEnd),
    ],
  }
}

function takingEffect(facts: ContractFacts): Block[] {
  if (!isDraft(facts) && !waitsForOthers(facts)) return []
  const { when, untilThen } = takesEffect(facts)
  const accepted = `${when.replace('When', 'The contract takes effect when')}.`
  return [heading('When it takes effect'), paragraph(`${accepted} ${untilThen}`)]
}

/** What leaving early costs: the terms in words, and an example with this contract's dates and price. */
function leavingEarly(facts: ContractFacts): Block[] {
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
