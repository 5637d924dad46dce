import { boughtSectionKeys } from '../bought-services.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { headingWithTerms, paragraph } from './blocks.ts'

/** Conformity, after-sales service and codes of conduct: Schedule 2 (p), (q) and (r). */
export function serviceSection(facts: ContractFacts): Section {
  const { words } = facts.terms
  const isInSummary = boughtSectionKeys(facts).includes('broadband')
  const equipment = isInSummary ? ' We supply equipment as agreed and without faults.' : ''
  return {
    id: 'service',
    heading: 'What you can expect of us',
    blocks: [
      paragraph(
        `We are under a legal duty to supply every service with reasonable care and skill and as this document describes it.${equipment}`,
      ),
      ...(isInSummary ? [] : headingWithTerms(facts, 'Service quality', words.minimumServiceQuality)),
      ...headingWithTerms(facts, 'Help after you buy', words.afterSales),
      ...headingWithTerms(facts, 'Codes of conduct', words.codesOfConduct),
    ],
  }
}
