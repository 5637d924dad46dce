import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { boughtSectionKeys } from '../services.ts'
import { headingWithText, paragraph } from './blocks.ts'

/** Conformity, after-sales service and codes of conduct: Schedule 2 (p), (q) and (r). */
export function serviceSection(facts: ContractFacts): Section {
  const { words } = facts.terms
  const isInSummary = boughtSectionKeys(facts).includes('broadband')
  return {
    id: 'service',
    heading: 'What you can expect of us',
    blocks: [
      paragraph(
        'We are under a legal duty to supply every service with reasonable care and skill and as this document describes it, and any equipment as agreed and without faults.',
      ),
      ...(isInSummary ? [] : headingWithText('Service quality', words.minimumServiceQuality)),
      ...headingWithText('Help after you buy', words.afterSales),
      ...headingWithText('Codes of conduct', words.codesOfConduct),
    ],
  }
}
