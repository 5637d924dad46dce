import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { boughtSectionKeys, sectionOf } from '../services.ts'
import { detail, emailDetail, heading, headingWithText, operatorParagraphs, phoneDetail } from './blocks.ts'

/** Where to send complaints, and who decides disputes: Schedule 2 (e), (k) and (x). */
export function complaintsSection(facts: ContractFacts): Section {
  const { complaints } = facts.operator
  return {
    id: 'complaints',
    heading: 'Complaints and independent redress',
    blocks: [
      ...operatorParagraphs(complaints.procedure),
      heading('Where to send a complaint'),
      {
        kind: 'details',
        items: [
          detail('Address', ...complaints.address),
          emailDetail('E-mail', complaints.email),
          phoneDetail('Phone', complaints.phone),
        ],
      },
      ...boughtSectionKeys(facts).flatMap((key) =>
        headingWithText(`Independent redress for ${sectionOf(facts, key).name}`, complaints[`${key}Ombudsman`] ?? ''),
      ),
    ],
  }
}
