import { londonDate } from '../../../kernel/dates.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { dayInWords } from '../in-words.ts'
import { printable } from '../printable.ts'
import { boughtServicesInWords } from '../services.ts'

/** The model cancellation form of Schedule 3 part B, filled in as far as possible. */
export function cancellationFormSection(facts: ContractFacts): Section {
  const { trader } = facts.operator
  return {
    id: 'form',
    heading: 'Model cancellation form',
    blocks: [
      {
        kind: 'form',
        instruction: 'Complete and return this form only if you wish to cancel the contract.',
        addresseeLabel: 'To',
        addressee: [trader.name, ...trader.address, trader.email, trader.phone].map(printable),
        statement: `I hereby give notice that I cancel my contract for the supply of the following service: ${boughtServicesInWords(facts)}, contract number ${facts.customerId}.`,
        fields: [
          { label: 'Ordered on', lines: [dayInWords(londonDate(facts.acceptedAt))] },
          { label: 'Name of consumer', lines: [printable(facts.tenant.name)] },
          { label: 'Address of consumer', lines: facts.property.addressLines.map(printable) },
          { label: 'Signature of consumer (only if this form is notified on paper)', lines: [] },
          { label: 'Date', lines: [] },
        ],
      },
    ],
  }
}
