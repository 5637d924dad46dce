import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { dayInWords } from '../in-words.ts'
import { detail, headingWithText, paragraph } from './blocks.ts'
import { leavingEarly } from './leaving-early.ts'

/** How long the contract lasts and how it ends: Schedule 2 (s) and (t). */
export function durationSection(facts: ContractFacts): Section {
  const { price, terms } = facts
  const lastDay = dayInWords(price.contractEndDate)
  return {
    id: 'duration',
    heading: 'How long it lasts and how it ends',
    blocks: [
      {
        kind: 'details',
        items: [
          detail('First day', dayInWords(price.contractStartDate)),
          detail('Last day', lastDay),
          detail('Minimum term', `The whole contract, to ${lastDay}`),
        ],
      },
      paragraph(
        'The contract has a fixed term, which includes both of these days. You must pay for the whole term, unless you cancel during the cancellation period or the contract ends early as described below.',
      ),
      ...leavingEarly(facts),
      ...headingWithText('After the last day', terms.words.atTheEnd),
    ],
  }
}
