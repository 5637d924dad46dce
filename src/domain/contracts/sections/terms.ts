import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { momentInWords } from '../in-words.ts'
import { printable } from '../printable.ts'
import { headingWithText, paragraph } from './blocks.ts'

/** The operator's clauses, with the version that the tenant accepted and the time of acceptance. */
export function termsSection({ terms, acceptedAt }: ContractFacts): Section {
  return {
    id: 'terms',
    heading: 'Terms',
    blocks: [
      paragraph(`You accepted these terms, version ${printable(terms.version)}, on ${momentInWords(acceptedAt)}.`),
      ...terms.words.clauses.flatMap(({ heading, text }) => headingWithText(printable(heading), text)),
    ],
  }
}
