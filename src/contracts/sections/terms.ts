import { momentInWords } from '../../platform/kernel/in-words.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { printable } from '../printable.ts'
import { isDraft } from './agreement.ts'
import { headingWithTerms, paragraph } from './blocks.ts'

/** The operator's clauses, with the version of the terms that the tenant accepted and the time of acceptance. */
export function termsSection(facts: ContractFacts): Section {
  const { terms, acceptedAt } = facts
  const version = printable(terms.version)
  return {
    id: 'terms',
    heading: 'Terms',
    blocks: [
      paragraph(
        isDraft(facts)
          ? `This contract uses version ${version} of our terms. You accept them together with the contract.`
          : `You accepted these terms, version ${version}, on ${momentInWords(acceptedAt)}.`,
      ),
      ...terms.words.clauses.flatMap(({ heading, ...clause }) => headingWithTerms(facts, printable(heading), [clause])),
    ],
  }
}
