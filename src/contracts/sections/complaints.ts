import { boughtSectionKeys, capitalised, sectionOf } from '../bought-services.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { detail, emailDetail, heading, onOneLine, operatorParagraphs, phoneDetail } from './blocks.ts'

/** Where to send complaints, and who decides disputes: Schedule 2 (e), (k) and (x). */
export function complaintsSection(facts: ContractFacts): Section {
  const { complaints } = facts.operator
  return {
    id: 'complaints',
    heading: 'Complaints and independent redress',
    blocks: [
      ...operatorParagraphs(complaints.procedure),
      {
        kind: 'details',
        items: [
          detail('Write to', onOneLine(complaints.address)),
          emailDetail('E-mail', complaints.email),
          phoneDetail('Phone', complaints.phone),
        ],
      },
      heading('Independent redress'),
      {
        kind: 'details',
        items: boughtSectionKeys(facts).map((key) =>
          detail(capitalised(sectionOf(facts, key).name), ...(complaints[`${key}Ombudsman`] ?? '').split('\n')),
        ),
      },
    ],
  }
}
