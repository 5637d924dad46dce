import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { boughtServices } from '../services.ts'
import { detail, emailDetail, headed, heading, phoneDetail, quoted } from './blocks.ts'

/** Where complaints go and who decides when we cannot agree: Schedule 2 (e), (k) and (x). */
export function complaintsSection(facts: ContractFacts): Section {
  const { complaints } = facts.operator
  const services = boughtServices(facts)
  return {
    id: 'complaints',
    heading: 'Complaints and independent redress',
    blocks: [
      ...quoted(complaints.procedure),
      heading('Where to send a complaint'),
      {
        kind: 'details',
        items: [
          detail('Address', ...complaints.address),
          emailDetail('E-mail', complaints.email),
          phoneDetail('Phone', complaints.phone),
        ],
      },
      ...(services.includes('electricity') || services.includes('gas')
        ? headed('Independent redress for energy', complaints.energyOmbudsman)
        : []),
      ...(services.includes('broadband')
        ? headed('Independent redress for broadband', complaints.broadbandOmbudsman)
        : []),
    ],
  }
}
