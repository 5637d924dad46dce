import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { heading, headingWithText, paragraph } from './blocks.ts'

/** Conformity, after-sales service and codes of conduct: Schedule 2 (p), (q) and (r). */
export function serviceSection({ terms: { words } }: ContractFacts): Section {
  return {
    id: 'service',
    heading: 'What you can expect of us',
    blocks: [
      heading('Our legal duty'),
      paragraph(
        'We are under a legal duty to perform every service with reasonable care and skill, as this document describes it, and to supply any goods in conformity with the contract.',
      ),
      ...headingWithText('Service quality', words.minimumServiceQuality),
      ...headingWithText('Help after you buy', words.afterSales),
      ...headingWithText('Codes of conduct', words.codesOfConduct),
    ],
  }
}
