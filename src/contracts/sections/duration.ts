import { dayInWords } from '../../platform/kernel/in-words.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Block, Section } from '../document.ts'
import { isDraft, takesEffect, waitsForOthers } from './agreement.ts'
import { detail, heading, headingWithTerms, paragraph } from './blocks.ts'
import { leavingEarly } from './leaving-early.ts'

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
